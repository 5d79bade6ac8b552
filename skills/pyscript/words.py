"""The sentences of this skill, English and Chinese."""
from __future__ import annotations

import os

_SENTENCES: dict[str, tuple[str, str]] = {
    "done": ("finished in {seconds} s", "运行完成，用时 {seconds} 秒"),
    "exit_status": ("the script ended with exit status {status}", "脚本以退出码 {status} 结束"),
    "exception": ("{type}: {message}", "{type}：{message}"),
    "at": ("{text} – {file}, line {line}: {source}", "{text} – {file} 第 {line} 行：{source}"),
    "at_line": ("{text} – {file}, line {line}", "{text} – {file} 第 {line} 行"),
    "time_limit": ("the script was stopped after {limit} s; give more with --timeout SECONDS",
                   "脚本运行 {limit} 秒后被停止；可用 --timeout 秒数 延长"),
    "memory_limit": ("the script needed more than {limit} MB of memory; give more with --memory MB",
                     "脚本占用内存超过 {limit} MB；可用 --memory MB 调高"),
    "process_limit": ("the script started more than {limit} processes at a time; all were ended", "脚本同时启动了超过 {limit} 个进程，已全部结束"),
    "parent_killed": ("the script killed its parent process and was ended with it", "脚本杀死了它的父进程，因此一并结束"),
    "not_started": ("not started: {detail}", "没有启动：{detail}"),
    "killed": ("everything in the sandbox was killed, by the script or for want of memory", "沙箱里的一切都被杀死：由脚本所为，或内存不足"),
    "signal": ("the script was ended by {name}", "脚本被信号 {name} 终止"),
    "left_running": ("{count} process(es) that were still running were ended", "已结束仍在运行的 {count} 个进程"),
    "left_out": ("[{size} bytes left out here; write long results to a file]", "[此处省略 {size} 字节；长结果请写入文件]"),
    "created": ("created: {names}", "新建：{names}"),
    "changed": ("changed: {names}", "修改：{names}"),
    "deleted": ("deleted: {names}", "删除：{names}"),
    "figures": ("figures: {names}", "图像：{names}"),
    "not_kept": ("not kept in the session: {names}", "会话未能保留：{names}"),
    "not_saved": ("could not be saved: {detail}", "未能保存：{detail}"),
    "hint_input": ("there is no keyboard; pass the values as arguments after --", "没有键盘输入；请把值作为参数放在 -- 之后"),
    "hint_module": ("the package is not installed; put these three lines at the top of the file: # /// script, # dependencies = ['NAME'], # /// "
                    "and run: python main.py prepare FILE",
                    "未安装该软件包；请在文件开头写这三行：# /// script，# dependencies = ['名称']，# /// ，然后运行：python main.py prepare 文件"),
    "hint_write": ("only files below {root} can be written", "只能写入 {root} 下的文件"),
    "hint_network": ("a script has no network", "脚本没有网络"),
    "no_sandbox": ("no sandbox: this code can change everything that you can (AGENT_GUARD_RUNNER names no guard runner)",
                   "没有沙箱：这段代码能改动你能改动的一切（AGENT_GUARD_RUNNER 没有指定守护程序）"),
    "not_confined": ("the guard runner could not confine the script, which was not started", "守护程序无法隔离脚本，脚本没有启动"),
    "network_needed": ("the script needs {packages}, which must be downloaded once; run: {command}",
                       "脚本需要 {packages}，须先下载一次；请运行：{command}"),
    "prepared": ("ready: {packages}", "已就绪：{packages}"),
    "nothing_to_prepare": ("the script names no dependencies", "脚本没有声明依赖"),
    "install_failed": ("the packages could not be installed: {detail}", "软件包安装失败：{detail}"),
    "no_network": ("the packages must be downloaded, but there is no network here; the user has to allow it",
                   "需要下载软件包，但这里没有网络；须由用户允许"),
    "wrong_python": ("the script asks for Python {wanted}; this is {version}", "脚本要求 Python {wanted}；当前是 {version}"),
    "header_twice": ("the script has two '# /// script' blocks", "脚本有两个 '# /// script' 块"),
    "header_syntax": ("the '# /// script' block is not understood: {detail}", "无法理解 '# /// script' 块：{detail}"),
    "header_dependency": ("{text!r} is no package name with a version; addresses, paths and options are not taken",
                          "{text!r} 不是带版本的软件包名；不接受网址、路径和选项"),
    "not_found": ("there is no file {path}; the folder is {root}", "没有文件 {path}；所在文件夹是 {root}"),
    "no_folder": ("there is no folder {path}", "没有文件夹 {path}"),
    "outside": ("{path} lies outside the workspace {root}, where a sandboxed script cannot be seen; move it there",
                "{path} 在工作区 {root} 之外，沙箱看不到；请移入工作区"),
    "unreadable": ("{path} cannot be read: {detail}", "无法读取 {path}：{detail}"),
    "no_source": ("say what to run: FILE, --code TEXT, or - for standard input", "请指明要运行什么：文件、--code 文本，或 -（标准输入）"),
    "two_sources": ("give either FILE or --code, not both", "文件和 --code 只能给一个"),
    "out_of_range": ("{name} must be from {low} to {high}", "{name} 必须在 {low} 到 {high} 之间"),
    "session_name": ("a session's name has 1 to 40 letters, digits, - and _", "会话名为 1 到 40 个字母、数字、- 和 _"),
    "damaged": ("the session cannot be read ({detail}); nothing was run; begin anew with: python main.py forget {name}",
                "会话无法读取（{detail}），没有运行任何代码；请重新开始：python main.py forget {name}"),
    "forgotten": ("the session {name} is forgotten", "会话 {name} 已删除"),
    "no_session": ("there is no session {name}", "没有会话 {name}"),
    "syntax": ("the script has a syntax error: {message} – {file}, line {line}: {source}",
               "脚本有语法错误：{message} – {file} 第 {line} 行：{source}"),
    "nothing_found": ("nothing but plain computing was found", "只发现普通计算"),
    "survey_end": ("read from the text of the script, which was not run; names built at run time are not seen",
                   "仅根据脚本文本得出，没有运行；运行时拼出的名字看不到"),
    "line": ("line {line}: {what}", "第 {line} 行：{what}"),
    "imports": ("imports", "导入"),
    "files": ("files", "文件"),
    "network": ("network", "网络"),
    "processes": ("processes", "进程"),
    "eval": ("code from data, native code", "动态代码、本机代码"),
    "usage": ("{detail}; see --help; options for the script itself stand after --", "{detail}；见 --help；脚本自己的选项写在 -- 之后"),
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
