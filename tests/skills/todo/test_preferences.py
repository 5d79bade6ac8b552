"""Preferences: kept with their reason, checked where they have an effect, never a secret."""

from __future__ import annotations

from typing import Any

import pytest
from taskbook.preferences import known
from taskbook.secret_check import secret_in
from taskbook.store import Store


def test_a_preference_is_kept_with_its_reason_and_replaced(call: Any) -> None:
    assert call("remember_preference", key="咖啡", value="不加糖", reason="医生说的")["ok"]
    assert call("recall_preference", key="咖啡")["reason"] == "医生说的"
    assert call("remember_preference", key="咖啡", value="少糖")["previous"] == "不加糖"
    listed = call("list_preferences")
    assert (listed["preferences"], listed["count"]) == ({"咖啡": "少糖"}, 1)
    call("remember_preference", key="茶", value="绿", reason="清淡")
    assert call("list_preferences")["preferences"] == {"咖啡": "少糖", "茶": "绿", "茶__reason": "清淡"}


def test_an_unknown_key_is_not_found_and_the_near_ones_are_named(call: Any) -> None:
    call("remember_preference", key="default_city", value="上海")
    missing = call("recall_preference", key="defualt_city")
    assert missing["code"] == "not_found" and missing["near"] == ["default_city"]
    assert call("forget_preference", key="nothing_like_it")["code"] == "not_found"
    assert call("forget_preference", key="默认城市")["forgotten"]["value"] == "上海"
    assert call("list_preferences")["count"] == 0


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [
        ("work_start", "上午10点", "10:00"),
        ("work_end", "18:30", "18:30"),
        ("work_end", "24:00", "24:00"),
        ("上班时间", "9点", "09:00"),
        ("break_minutes", "15分钟", "15"),
        ("default_estimate", "45", "45"),
        ("part_of_day.evening", "晚上7点", "19:00"),
        ("quiet_start", "22:00", "22:00"),
        ("default_city", " 上海 ", "上海"),
        ("Default_City", "上海", "上海"),
    ],
)
def test_a_key_with_an_effect_is_kept_in_one_form(call: Any, key: str, value: str, kept: str) -> None:
    assert call("remember_preference", key=key, value=value)["value"] == kept


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("work_start", "soon"),
        ("work_start", "24:00"),
        ("break_minutes", "-1"),
        ("break_minutes", "300"),
        ("default_estimate", "zero"),
        ("part_of_day.teatime", "16:00"),
        ("part_of_day.noon", "待会"),
        ("work_end", ""),
        ("", "x"),
    ],
)
def test_a_value_that_could_not_work_is_refused(call: Any, key: str, value: str) -> None:
    assert call("remember_preference", key=key, value=value)["code"] == "invalid_argument"
    assert call("list_preferences")["count"] == 0


def test_preferences_change_what_time_words_mean(call: Any, store: Store) -> None:
    call("remember_preference", key="part_of_day.evening", value="19:30")
    assert call("add_task", title="a", due_date="明天晚上")["task"]["due_date"] == "2026-10-15T19:30:00"
    assert known(store).work_start == "09:00" and known(store).break_minutes == 10


SECRETS = (
    ("note", "sk-proj-a1b2c3d4e5"),
    ("note", "my password is hunter2"),
    ("wifi_password", "x"),
    ("密码", "123456"),
    ("note", "密码：abc123"),
    ("key", "AKIAIOSFODNN7EXAMPLE"),
    ("note", "用sk-proj-a1b2c3d4e5f6g7h8"),
    ("note", "钥匙ghp_0123456789abcdefghij0123456789abcdef"),
    ("note", "WiFi密码12345678"),
    ("note", "wifi password hunter2"),
    ("note", "１１０１０５１９４９１２３１００２Ｘ"),
    ("note", "号11010519491231002X"),
    ("db", "postgres://me:hunter2@db.example/x"),
    ("card_pin", "9182"),
    ("x", "ghp_0123456789abcdefghij0123456789abcdef"),
    ("身份", "11010519491231002X"),
    ("card", "4111 1111 1111 1111"),
    ("api-key", "abc"),
    ("x", "-----BEGIN RSA PRIVATE KEY-----"),
    ("x", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc"),
)


@pytest.mark.parametrize(("key", "value"), SECRETS)
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_secret_is_refused_and_not_echoed(call: Any, key: str, value: str, lang: str) -> None:
    answer = call("remember_preference", key=key, value=value, lang=lang)
    assert answer["code"] == "invalid_argument" and value not in str(answer) and call("list_preferences")["count"] == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("editor", "vim"),
        ("phone", "13800138000"),
        ("order", "20261014000123"),
        ("sk-learn", "用 sk-learn"),
        ("height", "1.78"),
        ("isbn", "9787302518488"),
        ("喜欢", "每天早上喝咖啡，不加糖"),
        ("long", "1234567890123456"),
        ("secretary", "Ann"),
        ("password_manager", "KeePass"),
        ("密码管理器", "KeePass"),
        ("page", "https://example.com:8080/a"),
    ],
)
def test_ordinary_values_are_no_secrets(key: str, value: str) -> None:
    assert not secret_in(key, value)


def test_a_secret_as_reason_or_as_key_is_not_kept_either(call: Any) -> None:
    for values in ({"key": "x", "value": "y", "reason": "密码是 abc123"}, {"key": "sk-proj-a1b2c3d4e5", "value": ""}):
        answer = call("remember_preference", **values)
        assert answer["code"] == "invalid_argument" and "abc123" not in str(answer) and "a1b2c3" not in str(answer)
    assert call("list_preferences")["count"] == 0 and call("history")["count"] == 0


def test_a_key_with_an_effect_has_it_however_it_is_capitalised(call: Any, store: Store) -> None:
    call("remember_preference", key="Work_Start", value="10点")
    assert known(store).work_start == "10:00" and call("recall_preference", key="WORK_START")["value"] == "10:00"
