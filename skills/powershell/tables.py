"""What the report knows: aliases, and what cmdlets, programs and calls of .NET do. Names are lower case."""
from __future__ import annotations

import re

_ALIASES = """
ri rd del rm erase rmdir=remove-item gci ls dir=get-childitem gi=get-item gp=get-itemproperty gpv=get-itempropertyvalue sp=set-itemproperty
rp=remove-itemproperty rnp=rename-itemproperty cpp=copy-itemproperty mp=move-itemproperty clp=clear-itemproperty si=set-item ni md mkdir=new-item
mi mv move=move-item cpi cp copy=copy-item rni ren=rename-item cli=clear-item clc=clear-content gc cat type=get-content sc=set-content ac=add-content
ii=invoke-item iex=invoke-expression iwr curl wget=invoke-webrequest irm=invoke-restmethod saps start=start-process spps kill=stop-process
gps ps=get-process sasv=start-service spsv=stop-service gsv=get-service gcm=get-command gm=get-member gal=get-alias sal=set-alias nal=new-alias
gv=get-variable sv set=set-variable nv=new-variable rv=remove-variable clv=clear-variable gdr=get-psdrive ndr mount=new-psdrive rdr=remove-psdrive
ipmo=import-module rmo=remove-module gmo=get-module icm=invoke-command etsn=enter-pssession nsn=new-pssession rsn=remove-pssession sajb=start-job
gjb=get-job rcjb=receive-job rjb=remove-job spjb=stop-job wjb=wait-job sls=select-string select=select-object where ?=where-object
% foreach=foreach-object sort=sort-object group=group-object measure=measure-object compare diff=compare-object tee=tee-object ft=format-table
fl=format-list fw=format-wide fc=format-custom ogv=out-gridview oh=out-host lp=out-printer epcsv=export-csv ipcsv=import-csv epal=export-alias
ipal=import-alias echo write=write-output cls clear=clear-host pwd gl=get-location cd chdir sl=set-location pushd=push-location popd=pop-location
sleep=start-sleep h history ghy=get-history r ihy=invoke-history man help=get-help gu=get-unique rvpa=resolve-path cvpa=convert-path
gwmi=get-wmiobject iwmi=invoke-wmimethod rwmi=remove-wmiobject swmi=set-wmiinstance gcim=get-ciminstance icim=invoke-cimmethod
rcim=remove-ciminstance gin=get-computerinfo gtz=get-timezone stz=set-timezone gcb=get-clipboard scb=set-clipboard gerr=get-error
asnp=add-pssnapin trcm=trace-command sbp=set-psbreakpoint
"""

_CMDLETS = """
text: write-output write-host write-error write-warning write-verbose write-debug write-information write-progress out-null out-host out-string
 out-default format-table format-list format-wide format-custom select-object where-object sort-object group-object measure-object compare-object
 foreach-object get-unique get-member get-date get-random get-location set-location push-location pop-location get-help get-command get-alias
 get-variable set-variable new-variable remove-variable clear-variable get-host clear-host get-history start-sleep new-timespan new-guid
 convertto-json convertfrom-json convertto-csv convertfrom-csv convertto-html convertto-xml convertfrom-stringdata join-path split-path join-string
 set-strictmode measure-command add-member new-object get-culture read-host tee-object-variable wait-job receive-job get-job get-verb
 set-alias new-alias get-error get-timezone get-psdrive get-module test-json
read: get-content get-childitem get-item get-itemproperty get-itempropertyvalue test-path resolve-path convert-path get-acl get-filehash import-csv
 import-clixml import-powershelldatafile select-string select-xml format-hex get-process get-service get-computerinfo get-ciminstance get-wmiobject
 get-eventlog get-winevent get-hotfix get-disk get-volume get-localuser get-localgroup get-scheduledtask get-executionpolicy get-authenticodesignature
 get-netipaddress get-nettcpconnection get-netadapter get-clipboard
write: set-content add-content out-file tee-object export-csv export-clixml new-item copy-item move-item rename-item set-item set-itemproperty
 new-itemproperty rename-itemproperty copy-itemproperty move-itemproperty compress-archive expand-archive start-transcript new-temporaryfile set-acl
 new-psdrive set-clipboard unblock-file new-modulemanifest export-alias
delete: remove-item clear-content clear-item remove-itemproperty clear-itemproperty clear-recyclebin remove-psdrive
process: start-process stop-process wait-process debug-process invoke-item start-job stop-job start-threadjob
execute: invoke-expression invoke-command invoke-history add-type invoke-cimmethod invoke-wmimethod enter-pssession new-pssession set-psbreakpoint
 register-objectevent register-wmievent register-engineevent trace-command import-alias
network: invoke-webrequest invoke-restmethod test-connection test-netconnection resolve-dnsname send-mailmessage new-webserviceproxy connect-wsman
download: start-bitstransfer save-module save-script save-package update-help
module: import-module install-module install-package install-script update-module uninstall-module uninstall-package remove-module add-pssnapin
 register-psrepository set-psrepository install-packageprovider
secret: get-credential get-secret convertto-securestring convertfrom-securestring export-pfxcertificate get-pfxcertificate
system: start-service stop-service restart-service set-service new-service remove-service suspend-service stop-computer restart-computer
 rename-computer add-computer remove-computer checkpoint-computer restore-computer enable-computerrestore disable-computerrestore format-volume
 clear-disk initialize-disk new-partition remove-partition resize-partition set-partition repair-volume mount-diskimage dismount-diskimage
 new-localuser remove-localuser set-localuser disable-localuser enable-localuser add-localgroupmember remove-localgroupmember new-localgroup
 set-executionpolicy register-scheduledtask unregister-scheduledtask set-scheduledtask start-scheduledtask disable-scheduledtask register-scheduledjob
 new-netfirewallrule set-netfirewallrule remove-netfirewallrule disable-netfirewallrule set-netfirewallprofile set-dnsclientserveraddress
 new-netipaddress remove-netipaddress disable-netadapter set-mppreference add-mppreference remove-mppreference enable-windowsoptionalfeature
 disable-windowsoptionalfeature install-windowsfeature remove-windowsfeature remove-appxpackage add-appxpackage clear-eventlog remove-eventlog
 limit-eventlog set-date set-timezone set-ciminstance set-wmiinstance remove-ciminstance remove-wmiobject enable-psremoting disable-psremoting
 set-wsmaninstance enable-bitlocker disable-bitlocker suspend-bitlocker new-smbshare remove-smbshare import-certificate import-pfxcertificate
"""

_PROGRAMS = """
registry: reg regedit
system: net net1 sc schtasks netsh bcdedit vssadmin wbadmin wevtutil cipher takeown icacls cacls shutdown diskpart format fsutil dism sfc gpupdate
 setx powercfg attrib sudo runas systemctl mkfs dd chown chmod useradd crontab
execute: rundll32 mshta regsvr32 wmic cscript wscript msbuild installutil regasm regsvcs forfiles cmstp odbcconf
network: ssh scp sftp ftp nc ncat telnet ping nslookup tracert curl.exe wget.exe rsync
download: bitsadmin certutil winget choco scoop pip npm apt apt-get
delete: robocopy rimraf shred
"""

# Type (without System.) and method, both as patterns; the first that fits counts. An empty type stands for an object of any type.
CALLS: tuple[tuple[str, str, str], ...] = (
    (r"io\.(file|directory|fileinfo|directoryinfo)", r"delete", "delete"),
    (r"io\.(file|directory)|io\.compression\.zipfile", r"(write|append|create|copy|move|replace|set|extract|encrypt|decrypt)\w*", "write"),
    (r"io\.(streamwriter|filestream)", r"new", "write"),
    (r"io\.\w+", r"(read|open|exists|get|enumerate)\w*", "read"),
    (r"diagnostics\.process", r"(start|kill)", "process"),
    (r"net\.\w*(web|http|sockets|ftp|mail|dns)[\w.]*", r".*", "network"),
    (r"convert", r"frombase64string", "encoded"),
    (r"reflection\.assembly", r"(unsafe)?load\w*", "execute"),
    (r"(management\.automation\.)?(scriptblock|powershell)|activator", r"(create|createinstance)", "execute"),
    (r"(runspacefactory|management\.automation\.runspaces\.\w+)", r".*", "execute"),
    (r"runtime\.interopservices\.marshal", r".*", "execute"),
    (r"environment", r"setenvironmentvariable", "environment"),
    (r"(microsoft\.win32\.)?registry\w*", r".*", "registry"),
    (r"(security\.cryptography\.protecteddata|net\.networkcredential)", r".*", "secret"),
    (r"(windows\.forms|windows\.clipboard)\.?\w*", r".*", "system"),
    (r"", r"downloadfile\w*", "download"),
    (r"", r"(download(string|data)|upload(string|file|data|values)|openread|openwrite|(get|post|send|put|delete)async)\w*", "network"),
    (r"", r"(invokescript|addscript|invokecommand|invoke|invokemember|invokereturnasis|createinstance)", "execute"),
    (r"", r"(opensubkey|createsubkey|deletesubkey|deletesubkeytree|setvalue|deletevalue|regwrite|regdelete)", "registry"),
    (r"", r"(delete|deletefile|deletefolder)", "delete"),
    (r"", r"(kill|shellexecute|exec)", "process"),
    (r"", r"(moveto|copyto|createtext|createtextfile|appendtext|saveas|savetofile)", "write"),
    (r"", r"getnetworkcredential", "secret"),
)
_READING_VERBS = frozenset(("get", "test", "find", "select", "measure", "compare", "show", "resolve", "format", "out", "convertto", "convertfrom",
                            "join", "split", "wait", "search"))
SECRET_PATH = re.compile(r"(^|[\\/])(\.ssh|id_(rsa|dsa|ecdsa|ed25519)\b|\.aws|\.azure|\.kube|\.env\b|\.netrc|\.git-credentials|credentials\b|"
                         r"login data|cookies$|sam$|ntds\.dit|lsass|wallet\.dat|key\d\.db)|^[\\/]etc[\\/]shadow", re.IGNORECASE)
SECRET_NAME = re.compile(r"(key|token|secret|passw(or)?d|credential)s?$", re.IGNORECASE)
REGISTRY_PATH = re.compile(r"^(hklm|hkcu|hkcr|hku|hkcc):|^(microsoft\.powershell\.core\\)?registry::|^hkey_|^hk(lm|cu|cr|u)\\", re.IGNORECASE)
URL = re.compile(r"\b(?:https?|ftps?|wss?|sftp)://[^\s'\"<>)`]+|^\\\\[\w.$-]+\\[^\s'\"]+", re.IGNORECASE)


def _pairs() -> dict[str, str]:
    found: dict[str, str] = {}
    waiting: list[str] = []
    for word in _ALIASES.split():
        name, _, target = word.partition("=")
        waiting.append(name)
        if target:
            found.update(dict.fromkeys(waiting, target))
            waiting = []
    return found


def _groups(table: str) -> dict[str, str]:
    found: dict[str, str] = {}
    kind = ""
    for word in table.split():
        if word.endswith(":"):
            kind = word[:-1]
        else:
            found[word] = kind
    return found


ALIASES = _pairs()
CMDLETS = _groups(_CMDLETS)
PROGRAMS = _groups(_PROGRAMS)


def kind_of_call(owner: str, name: str) -> str:
    """What a call of .NET does; "" when the tables do not know it."""
    owner = owner.removeprefix("system.")
    for types, names, kind in CALLS:
        if (re.fullmatch(types, owner) if types else not owner) and re.fullmatch(names, name):
            return kind
    return ""


def kind_of_unknown(name: str) -> str:
    """By its verb: a cmdlet of a module that the tables do not know. Any other name is a program."""
    verb, dash, noun = name.partition("-")
    if not dash or not noun or not verb.isalpha():
        return "process"
    return "read" if verb in _READING_VERBS else "unknown"
