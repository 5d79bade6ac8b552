"""The sentences of this skill, English and Chinese."""
from __future__ import annotations

import os

_SENTENCES: dict[str, tuple[str, str]] = {
    "done": ("done in {seconds} s", "完成，用时 {seconds} 秒"),
    "failed": ("the script ended with exit code {exit_code} and {errors} error(s)", "脚本结束，退出码 {exit_code}，错误 {errors} 个"),
    "timeout": ("stopped after {seconds} s, with everything it had started; give --timeout a larger number or do less at once",
                "{seconds} 秒后停止，连同它启动的所有进程；请加大 --timeout 或减少一次的工作量"),
    "output_limit": ("stopped: it printed more than {limit} bytes; print less, or write to a file",
                     "已停止：输出超过 {limit} 字节；请减少输出或写入文件"),
    "no_report": ("PowerShell ended with exit code {exit_code} before it could report; see stderr",
                  "PowerShell 未能给出报告就以退出码 {exit_code} 结束；见 stderr"),
    "no_powershell": ("PowerShell is not installed here. {install} On Linux and macOS `python main.py shell --command …` runs bash instead.",
                      "这里没有安装 PowerShell。{install}在 Linux 和 macOS 上可用 `python main.py shell --command …` 改用 bash。"),
    "install_windows": ("Install it with: winget install Microsoft.PowerShell.", "安装：winget install Microsoft.PowerShell。"),
    "install_darwin": ("Install it with: brew install powershell.", "安装：brew install powershell。"),
    "install_linux": ("Install it with: sudo snap install powershell --classic (or: dotnet tool install --global PowerShell).",
                      "安装：sudo snap install powershell --classic（或：dotnet tool install --global PowerShell）。"),
    "no_bash": ("bash is not installed here; on Windows use `run` instead of `shell`", "这里没有 bash；在 Windows 上请用 `run` 代替 `shell`"),
    "not_started": ("{program} could not be started: {detail}", "无法启动 {program}：{detail}"),
    "not_confined": ("not started, because it could not be confined: {detail}", "未启动，因为无法隔离：{detail}"),
    "no_runner": ("AGENT_GUARD_RUNNER names {path}, which is no file; correct or remove it",
                  "AGENT_GUARD_RUNNER 指向 {path}，但它不是文件；请更正或删除"),
    "unconfined": ("note: nothing confines this script; set AGENT_GUARD_RUNNER to core/guard_runner.py for a sandbox",
                   "注意：此脚本没有受到隔离；把 AGENT_GUARD_RUNNER 设为 core/guard_runner.py 可启用沙箱"),
    "unconfined_here": ("note: nothing confines this script; the guard runner confines on Linux only",
                        "注意：此脚本没有受到隔离；隔离启动器只支持 Linux"),
    "unreadable": ("{path} cannot be read: {detail}", "无法读取 {path}：{detail}"),
    "not_utf8": ("{path} is not UTF-8 text; save it as UTF-8", "{path} 不是 UTF-8 文本；请另存为 UTF-8"),
    "no_folder": ("{path} is not a folder; correct --cwd", "{path} 不是文件夹；请更正 --cwd"),
    "no_workspace": ("no folder can be made in {path}: {detail}", "无法在 {path} 中建立文件夹：{detail}"),
    "too_long": ("the script has more than {limit} characters; split it, or put it into a file and call that",
                 "脚本超过 {limit} 个字符；请拆分，或写入文件再调用"),
    "empty": ("there is no script: give --command \"…\", --file FILE, or - for standard input",
              "没有脚本：请给 --command \"…\"、--file 文件，或 - 表示标准输入"),
    "one_source": ("give one of --command, --file and -", "--command、--file 和 - 只能给一个"),
    "bad_number": ("{name} must be a number from {low} to {high}", "{name} 必须是 {low} 到 {high} 之间的数"),
    "usage": ("{detail}; see --help", "{detail}；见 --help"),
    "interrupted": ("stopped from outside, with everything it had started", "被外部停止，连同它启动的所有进程"),
    "error_line": ("error, line {line}, {category}: {message}", "错误，第 {line} 行，{category}：{message}"),
    "error_plain": ("error, {category}: {message}", "错误，{category}：{message}"),
    "warning_line": ("warning: {message}", "警告：{message}"),
    "left_out": ("\n[… {count} bytes left out …]\n", "\n[… 省略 {count} 字节 …]\n"),
    # The report of `check`.
    "report": ("{name}: {lines} lines, {count} constructs found. "
               "A report of what is written there, not a permission: a script can do more than it shows.",
               "{name}：{lines} 行，发现 {count} 处。这只是对所写内容的报告，不是许可：脚本实际做的可能更多。"),
    "nothing": ("{name}: {lines} lines, nothing found that acts.", "{name}：{lines} 行，没有发现任何操作。"),
    "row": ("line {line:>3}  {kind}  {what}{detail}", "第 {line:>3} 行  {kind}  {what}{detail}"),
    "lists": ("{title}: {items}", "{title}：{items}"),
    "shortened": ("only the first {limit} constructs are listed", "只列出前 {limit} 处"),
    "title_paths": ("paths", "路径"),
    "title_urls": ("addresses", "网址"),
    "title_registry": ("registry", "注册表"),
    "title_environment": ("environment", "环境变量"),
    "title_modules": ("modules", "模块"),
    "kind_syntax": ("SYNTAX", "语法错误"),
    "kind_execute": ("RUNS CODE", "执行代码"),
    "kind_encoded": ("ENCODED", "编码命令"),
    "kind_download": ("DOWNLOAD", "下载"),
    "kind_network": ("network", "网络"),
    "kind_secret": ("SECRET", "机密"),
    "kind_system": ("SYSTEM", "系统"),
    "kind_registry": ("registry", "注册表"),
    "kind_delete": ("DELETES", "删除"),
    "kind_process": ("process", "进程"),
    "kind_write": ("writes", "写入"),
    "kind_environment": ("environment", "环境变量"),
    "kind_module": ("module", "模块"),
    "kind_unknown": ("unknown", "未知"),
    "kind_local": ("own function", "自定义函数"),
    "kind_read": ("reads", "读取"),
    "kind_text": ("text", "文本"),
}


def detect_language() -> str:
    """AGENT_LANG, then LC_ALL, LC_MESSAGES, LANG; English otherwise."""
    for name in ("AGENT_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name, "").strip().lower()
        if value:
            return "zh" if value.startswith(("zh", "chinese")) else "en"
    return "en"


def say(key: str, language: str, **values: object) -> str:
    """One sentence with its values."""
    return _SENTENCES[key][1 if language == "zh" else 0].format(**values)


class SkillError(Exception):
    """What keeps a command from being done. `code` is stable; `key` names the sentence."""

    def __init__(self, code: str, key: str, **values: object) -> None:
        super().__init__(key)
        self.code = code
        self.key = key
        self.values = values
