# Runs one script and reports as JSON lines: errors and warnings as they come, one last line with the objects and the exit code.
# Written for Windows PowerShell 5.1 as well as PowerShell 7, and in ASCII, so that no code page matters.
param([string]$AgentScript, [string]$AgentReport, [int]$AgentDepth = 2, [int]$AgentObjects = 100)

$ProgressPreference = 'SilentlyContinue'
$agentUtf8 = New-Object System.Text.UTF8Encoding $false
try { [Console]::OutputEncoding = $agentUtf8; [Console]::InputEncoding = $agentUtf8 } catch { $null = $_ }
$OutputEncoding = $agentUtf8
if (Get-Variable PSStyle -ErrorAction SilentlyContinue) { $PSStyle.OutputRendering = 'PlainText' }
if ($PSVersionTable.PSVersion.Major -lt 6) {
    foreach ($agentName in 'Out-File', 'Set-Content', 'Add-Content', 'Export-Csv') { $PSDefaultParameterValues["${agentName}:Encoding"] = 'utf8' }
}
$agentState = @{ Objects = New-Object System.Collections.ArrayList; Pending = New-Object System.Collections.ArrayList; Total = 0; Shown = [DateTime]::UtcNow }

function Write-AgentLine($Value) {
    $line = ConvertTo-Json -InputObject $Value -Depth 4 -Compress -WarningAction SilentlyContinue
    [IO.File]::AppendAllText($AgentReport, $line + "`n", $agentUtf8)
}

function Write-AgentError($Record) {
    $where = $Record.InvocationInfo
    $line = 0; $column = 0; $text = ''
    if ($where) { $text = "$($where.Line)".Trim() }
    if ($where -and $where.ScriptName -eq $AgentScript) { $line = $where.ScriptLineNumber; $column = $where.OffsetInLine }
    Write-AgentLine @{ error = @{ message = "$($Record.Exception.Message)"; line = $line; column = $column; source = $text
            category = "$($Record.CategoryInfo.Category)"; id = "$($Record.FullyQualifiedErrorId)"; target = "$($Record.TargetObject)" } }
}

function Read-AgentSyntax {
    $tokens = $null; $found = $null
    $null = [System.Management.Automation.Language.Parser]::ParseFile($AgentScript, [ref]$tokens, [ref]$found)
    foreach ($one in $found) {
        Write-AgentLine @{ error = @{ message = "$($one.Message)"; line = $one.Extent.StartLineNumber; column = $one.Extent.StartColumnNumber
                source = "$($one.Extent.Text)"; category = 'ParserError'; id = "$($one.ErrorId)"; target = '' } }
    }
    return [bool]$found
}

# Shows the objects that wait. They are shown together, so that a table gets one head.
function Show-AgentPending {
    if ($agentState.Pending.Count) { [Console]::Out.Write(($agentState.Pending.ToArray() | Out-String -Width 200)) }
    $agentState.Pending.Clear()
    $agentState.Shown = [DateTime]::UtcNow
}

function Add-AgentObject($Value) {
    $layout = $Value.GetType().FullName -like 'Microsoft.PowerShell.Commands.Internal.Format.*'
    if (-not $layout) {
        $agentState.Total++
        if ($agentState.Objects.Count -lt $AgentObjects) { $null = $agentState.Objects.Add($Value) }
    }
    if ($Value -is [string]) { Show-AgentPending; [Console]::Out.WriteLine($Value); return }
    $null = $agentState.Pending.Add($Value)
    if (-not $layout -and ([DateTime]::UtcNow - $agentState.Shown).TotalSeconds -gt 1) { Show-AgentPending }
}

# Sorts what the script sends: errors and warnings go to the report, everything else is shown, and the first objects are kept.
function Split-AgentStream {
    process {
        if ($null -eq $_) { return }
        if ($_ -is [System.Management.Automation.ErrorRecord]) {
            if ("$($_.FullyQualifiedErrorId)" -like 'NativeCommandError*') { [Console]::Error.WriteLine("$($_.Exception.Message)") } else { Write-AgentError $_ }
        } elseif ($_ -is [System.Management.Automation.WarningRecord]) { Write-AgentLine @{ warning = "$($_.Message)" } }
        elseif ($_ -is [System.Management.Automation.InformationalRecord]) { [Console]::Error.WriteLine("$($_.Message)") }
        elseif ($_ -is [System.Management.Automation.InformationRecord]) { Show-AgentPending; [Console]::Out.WriteLine("$_") }
        else { Add-AgentObject $_ }
    }
}

function ConvertTo-AgentJson($Value) {
    if ($Value -is [string]) { $Value = $Value.Substring(0) } elseif ($Value -is [datetime]) { $Value = $Value.ToString('o') }
    try { ConvertTo-Json -InputObject $Value -Depth $AgentDepth -Compress -WarningAction SilentlyContinue } catch { ConvertTo-Json -InputObject "$Value" -Compress }
}

$global:LASTEXITCODE = 0
$agentFailed = Read-AgentSyntax
if (-not $agentFailed) {
    try {
        & $AgentScript *>&1 | Split-AgentStream
    } catch { Write-AgentError $_; $agentFailed = $true }
}
Show-AgentPending
$agentCode = if ($agentFailed) { 1 } else { $global:LASTEXITCODE }
$agentParts = @(foreach ($agentOne in $agentState.Objects) { ConvertTo-AgentJson $agentOne })
$agentEnd = ConvertTo-Json -Compress @{ exit_code = $agentCode; objects_total = $agentState.Total; edition = "$($PSVersionTable.PSEdition)"; version = "$($PSVersionTable.PSVersion)" }
$agentEnd = $agentEnd.Substring(0, $agentEnd.Length - 1) + ',"objects":[' + ($agentParts -join ',') + "]}`n"
[IO.File]::AppendAllText($AgentReport, $agentEnd, $agentUtf8)
exit $agentCode
