from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from analysis.rules.preset import shipped_presets
from paipu.cli.main import run
from tests.analysis.examples import GOLDEN, read_cases

HAND = "35m22s789s678p +4m chow:123m pung:444p f3"
RECORD = {
    "dealer": 0, "streak": 0, "door": 0, "round": "E", "winner": 1, "win": "discard", "from": 3,
    "melds": ["chow:123m", "pung:444p"], "hand": "35m22s789s678p", "win_tile": "4m", "flowers": [3], "flags": {},
}  # fmt: skip


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIPU_LANG", "en")


def out(capfd: pytest.CaptureFixture[str], *args: str, code: int = 0) -> str:
    assert run(["score", *args]) == code
    captured = capfd.readouterr()
    if code == 0:
        assert captured.err == ""
    return captured.out


def lines(capfd: pytest.CaptureFixture[str], *args: str, code: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out(capfd, *args, "--format", "jsonl", code=code).splitlines()]


def jsonl(folder: Path, *objects: Any, name: str = "wins.jsonl") -> str:
    path = folder / name
    path.write_bytes(b"".join((o if isinstance(o, bytes) else json.dumps(o).encode()) + b"\n" for o in objects))
    return str(path)


def line(number: int, **changes: Any) -> dict[str, Any]:
    return {"id": f"w{number}", "record": RECORD | changes}


# One hand


def test_one_hand_side_by_side(capfd: pytest.CaptureFixture[str]) -> None:
    """South wins on a closed wait from the dealer; only three presets pay the wait, one any flower (SPEC 3)."""
    table = list(csv.DictReader(io.StringIO(out(capfd, HAND, "--format", "csv"))))
    first = next(iter(table[0]))
    rows = {row.pop(first): row for row in table}
    waits = ("tw_luohan_v1", "tw_luohan_v2", "tw_online")
    assert list(table[0]) == shipped_presets("taiwan")
    assert rows["Single wait"] == {preset: "1" if preset in waits else "" for preset in shipped_presets("taiwan")}
    assert rows["Any flower"] == {p: "1" if p == "tw_flower_honor" else "" for p in shipped_presets("taiwan")}
    assert "Own flower" not in rows
    paid = {preset: "140" if preset in (*waits, "tw_flower_honor") else "120" for preset in shipped_presets("taiwan")}
    assert paid in rows.values()


@pytest.mark.parametrize("lang", ["zh-TW", "zh-CN", "en"])
def test_names_in_every_language(capfd: pytest.CaptureFixture[str], lang: str) -> None:
    table = out(capfd, HAND, "--lang", lang, "--preset", "tw_online")
    assert {"zh-TW": "獨聽", "zh-CN": "独听", "en": "Single wait"}[lang] in table


def test_seats_are_named_by_winds(capfd: pytest.CaptureFixture[str]) -> None:
    def payments(*args: str) -> dict[str, int]:
        (found,) = lines(capfd, HAND.replace(" f3", ""), "--preset", "tw_general", *args)
        return {seat: pay["amount"] for seat, pay in found["pay"].items()}

    assert payments() == {"0": 120}
    assert payments("--seat", "E") == {"1": 120}
    assert payments("--seat", "E", "--from", "N", "--streak", "2") == {"3": 200}
    assert payments("--seat", "W", "--from", "S") == {"1": 100}
    assert payments("--seat", "N", "--win", "self_draw") == {"0": 140, "1": 120, "2": 120}


def test_circumstances(capfd: pytest.CaptureFixture[str]) -> None:
    args = [HAND, "--preset", "tw_general", "--win", "self_draw", "--flag", "last_tile", "--flag", "replacement=flower"]
    (found,) = lines(capfd, *args, "--flag", "ready=normal", "--flag", "ready_open=true")
    assert found["items"] == {
        "self_draw": 1, "last_tile_draw": 1, "kong_bloom": 1, "declared_ready": 1, "open_ready": 1,
    }  # fmt: skip
    (found,) = lines(capfd, HAND, "--preset", "tw_general", "--flag", "last_tile=null")
    assert found["undetermined"] == ["last_discard_win"]
    (found,) = lines(capfd, HAND, "--preset", "tw_general", "--flag", "last_tile=false")
    assert "undetermined" not in found


def test_flower_wins(capfd: pytest.CaptureFixture[str]) -> None:
    hand = "1379m2468p1357sESW +N f1 f2 f3 f4 f5 f6 f7"
    (found,) = lines(
        capfd, hand, "--win", "seven_robs_one", "--preset", "tw_general", "--flag", "mode=already7", "--from", "W",
        "--flag", "robbed_flower=8",
    )  # fmt: skip
    assert (found["items"], found["winner_receives"]) == ({"seven_robs_one": 8}, 260)


def test_a_flower_win_needs_no_winning_tile(capfd: pytest.CaptureFixture[str]) -> None:
    """Eight flowers are worth 8 tai whatever the hand: each pays 100 + 20 x 8, the dealer 20 more (SPEC 2.6)."""
    flowers = " ".join(f"f{number}" for number in range(1, 9))
    args = ["1379m2468p1357sESWN", "--win", "eight_flowers", "--preset", "tw_general"]
    (found,) = lines(capfd, f"{args[0]} {flowers}", *args[1:])
    assert (found["items"], found["winner_receives"]) == ({"eight_immortals": 8}, 260 + 260 + 280)
    assert lines(capfd, f"{args[0][:-1]} +N {flowers}", *args[1:]) == [found]


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ([], 2, ["one hand in quotes", "--records FILE"]),
        ([HAND, "--records", "x"], 2, ["one hand in quotes, or --records FILE"]),
        ([HAND, "--records"], 2, ["--records"]),
        ([""], 2, ["needs one winning tile"]),
        (["35m22s789s678p chow:123m pung:444p"], 2, ["needs one winning tile", "+4m"]),
        (["35m22s789s678p +4m +5m chow:123m pung:444p"], 2, ["needs one winning tile"]),
        (["35m22s789s678p +4x chow:123m pung:444p"], 2, ["'4'", "suit"]),
        (["35m22s789s678p +0z chow:123m pung:444p"], 2, ["0z"]),
        (["35m22s789s67qp +4m chow:123m pung:444p"], 2, ["q"]),
        (["35m22s789s678p +4m chow:123m pung:444p f9"], 2, ["f9", "f1 to f8"]),
        (["35m22s789s678p +4m chow:123m pung:444p f3 f3"], 2, ["f3 is listed twice"]),
        (["35m22s789s678p +f3 chow:123m pung:444p"], 2, ["f3"]),
        (["1111s22s789s67p +1s chow:123m pung:444p"], 2, ["concealed tiles"]),
        (["1111s2234s78p +1s chow:123m pung:444p"], 2, ["5 copies of 1s"]),
        (["35m22s789s4678p4p +4m chow:123m"], 2, ["12 concealed tiles", "13"]),
        (["35m22s789s678p11p +4m chow:123m pung:444p"], 2, ["12 concealed tiles", "10"]),
        (["35m22s789s678p +4m chow:124m pung:444p"], 2, ["chow:124m"]),
        (["35m22s789s678p +4m chow:891m pung:444p"], 2, ["chow:891m"]),
        (["35m22s789s678p +4m chow:ESW pung:444p"], 2, ["chow:ESW"]),
        (["35m22s789s678p +4m chw:123m pung:444p"], 2, ["chw:123m", "chow:"]),
        ([HAND, "--flag", "last_tle"], 2, ["'last_tle'", "did you mean 'last_tile'?"]),
        ([HAND, "--flag", "ready"], 2, ["--flag ready needs a value", "ready=initial", "ready=normal"]),
        ([HAND, "--flag", "replacement"], 2, ["--flag replacement needs a value", "replacement=flower"]),
        ([HAND, "--flag", "robbed_flower"], 2, ["--flag robbed_flower needs a value", "1 to 8"]),
        ([HAND, "--flag", "ready=initial"], 2, ["ready", "claims none"]),
        ([HAND, "--seat", "E", "--win", "self_draw", "--flag", "heavenly"], 2, ["heavenly", "claimed"]),
        ([HAND, "--flag", "ready=soon"], 2, ["ready", "initial"]),
        ([HAND, "--flag", "last_tile=perhaps"], 2, ["last_tile", "true, false or null"]),
        ([HAND, "--flag", "replacement=flower"], 2, ["replacement", "nothing is drawn"]),
        ([HAND, "--flag", "robbed_flower=99"], 2, ["99"]),
        ([HAND, "--seat", "X"], 2, ["--seat", "'X'"]),
        ([HAND, "--round", "Q"], 2, ["--round", "'Q'"]),
        ([HAND, "--door", "1"], 2, ["--door"]),
        ([HAND, "--streak", "-1"], 2, ["--streak"]),
        ([HAND, "--win", "robkong"], 2, ["'robkong'", "did you mean 'rob_kong'?"]),
        ([HAND, "--from", "S"], 2, ["from"]),
        ([HAND, "--win", "self_draw", "--from", "E"], 2, ["--from", "all others pay"]),
        ([HAND, "--preset", "tw_generl"], 2, ["did you mean tw_general?"]),
        ([HAND, "--preset", "no.toml"], 2, ["no.toml"]),
        ([HAND, "--lang", "fr"], 2, ["--lang"]),
        ([HAND, "--format", "yaml"], 2, ["--format"]),
        ([HAND, "-o", "x.yaml"], 2, ["x.yaml", "--format"]),
        (["--records", "no.jsonl"], 3, ["no.jsonl"]),
        (["--records", "."], 3, ["directory"]),
    ],
)
def test_a_mistake_is_one_line(
    args: list[str], code: int, words: list[str], capfd: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert run(["score", *args]) == code
    captured = capfd.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("paipu: ")
    assert captured.err.count("\n") == 1
    for word in words:
        assert word in captured.err


@pytest.mark.parametrize("format_", ["table", "csv", "json", "jsonl", "markdown", "parquet", "xlsx"])
@pytest.mark.parametrize("source", ["hand", "records"])
def test_every_format(format_: str, source: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / f"out.{format_}"
    args = [HAND] if source == "hand" else ["--records", jsonl(tmp_path, line(1), line(2))]
    assert out(capfd, *args, "--preset", "tw_online,tw_full", "--format", format_, "-o", str(target)) == ""
    data = target.read_bytes()
    if format_ == "parquet":
        frame = pl.read_parquet(target)
        assert frame.width == 3 if source == "hand" else frame["id"].to_list() == ["w1", "w1", "w2", "w2"]
    elif format_ == "xlsx":
        assert data.startswith(b"PK")
    else:
        text = data.decode()
        assert "tw_online" in text
        assert "tw_full" in text
        assert "single_wait" in text or "Single wait" in text
        if format_ == "json":
            assert len(json.loads(text)) == (2 if source == "hand" else 4)


# Records


def test_a_line_out_for_each_record_and_preset(capfd: pytest.CaptureFixture[str]) -> None:
    cases = read_cases(GOLDEN, "taiwan")
    found = lines(capfd, "--records", str(GOLDEN), "--preset", "tw_full,tw_online")
    assert [(row["id"], row["preset"]) for row in found] == [
        (case["id"], preset) for case in cases for preset in ("tw_full", "tw_online")
    ]
    for row in found:
        keys = ["id", "preset", "valid"]
        keys += ["items", "hand_tai", "pay", "winner_receives"] if row["valid"] else ["reason"]
        assert [key for key in row if key != "eye_penalty"] == keys
        for pay in row.get("pay", {}).values():
            assert [key for key in pay if key != "paid_by"] == ["hand_tai", "dealer_tai", "tai", "amount"]


def test_the_stake_of_a_record_is_the_money(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records = jsonl(
        tmp_path,
        line(1) | {"stake": {"base": 5, "unit": 1}},
        line(2),
        line(3) | {"stake": {"base": 0, "unit": 7}},
        line(4) | {"stake": {"base": 5, "unit": 1}},
    )
    found = lines(capfd, "--records", records, "--preset", "tw_online")
    assert [(row["id"], row["winner_receives"]) for row in found] == [("w1", 6), ("w2", 120), ("w3", 7), ("w4", 6)]


def test_the_table_of_records_is_for_people(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    drawn = line(1, win="self_draw", **{"from": None}, eye_players=[3]) | {"stake": {"base": 100, "unit": 20}}
    records = jsonl(tmp_path, drawn, line(2, hand="35m22s789s679p"), line(3, liable=2))
    table = out(capfd, "--records", records, "--preset", "tw_online").splitlines()
    first, second, third = table[-3:]
    # Self-draw and single wait are a tai each in tw_online; the dealer pays one more, the declared eye 20.
    assert "Self-draw: 1" in first
    assert "Single wait: 1" in first
    assert "0: 160, 2: 140, 3: 160" in first
    assert "No win: not_a_winning_shape" in second
    assert "2: 120" in third
    assert "{" not in "".join(table)
    chinese = out(capfd, "--records", records, "--preset", "tw_online", "--lang", "zh-TW")
    assert "獨聽: 1" in chinese
    assert "付款者各付" in chinese


def test_players_are_checked_as_by_ingest(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records = jsonl(
        tmp_path, line(1) | {"players": ["Ann", "Bo", "Cai"]}, line(2) | {"players": ["Ann", "Bo", None, "Cai"]}
    )
    assert run(["score", "--records", records, "--preset", "tw_full", "--format", "jsonl"]) == 1
    captured = capfd.readouterr()
    assert [json.loads(text)["id"] for text in captured.out.splitlines()] == ["w2"]
    assert "line 1: players are not four names; give them in seat order" in captured.err


def test_a_line_in_another_encoding_says_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    records = jsonl(tmp_path, json.dumps(line(1) | {"note": "牌"}, ensure_ascii=False).encode("big5"))
    assert run(["score", "--records", records, "--preset", "tw_full", "--format", "jsonl"]) == 1
    assert "save the file as UTF-8" in capfd.readouterr().err


def test_a_bad_line_keeps_the_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad = {
        2: b'{"id": "half", "rec',
        3: line(3, hand="11111s222s44p5p"),
        4: line(4, winner=7),
        5: line(5) | {"system": "mcr"},
        6: {"id": "none"},
        7: b"[1, 2]",
        8: line(8, flags={"last_tle": True}),
        9: b"\xff\xfe",
    }
    records = jsonl(tmp_path, *[bad.get(number, line(number)) for number in range(1, 11)])
    assert run(["score", "--records", records, "--preset", "tw_general", "--format", "jsonl"]) == 1
    captured = capfd.readouterr()
    assert [json.loads(text)["id"] for text in captured.out.splitlines()] == ["w1", "w10"]
    complaints = captured.err.splitlines()
    assert len(complaints) == len(bad)
    for number, complaint in zip(bad, complaints, strict=True):
        assert complaint.startswith(f"paipu: {records}, line {number}: ")
    for words, complaint in zip(
        ("JSON", "five|copies|tiles", "winner is 7", "mcr", "record"), complaints, strict=False
    ):
        assert any(word in complaint for word in words.split("|"))


def test_an_empty_file_has_no_records(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert lines(capfd, "--records", jsonl(tmp_path)) == []
    assert json.loads(out(capfd, "--records", jsonl(tmp_path), "--format", "json")) == []
    assert lines(capfd, "--records", jsonl(tmp_path, b"", b"  ")) == []


def test_records_from_stdin(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(line(1)).encode())))
    assert [row["id"] for row in lines(capfd, "--records", "-", "--preset", "tw_full")] == ["w1"]


def test_compressed_records_and_such_that_break_off(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plain = b"".join(json.dumps(line(number)).encode() + b"\n" for number in range(2000))
    # The suffix says nothing: the content is looked at.
    whole, half, no_gzip = tmp_path / "whole.jsonl", tmp_path / "half.gz", tmp_path / "bad.gz"
    whole.write_bytes(gzip.compress(plain))
    assert len(lines(capfd, "--records", str(whole), "--preset", "tw_full")) == 2000
    packed = gzip.compress(plain, compresslevel=1)
    half.write_bytes(packed[: len(packed) // 2])
    assert run(["score", "--records", str(half), "--preset", "tw_full", "--format", "jsonl"]) == 3
    captured = capfd.readouterr()
    kept = [json.loads(text)["id"] for text in captured.out.splitlines()]
    assert kept == [f"w{number}" for number in range(len(kept))]
    assert 0 < len(kept) < 2000
    assert captured.err.startswith(f"paipu: {half}: cannot be read any further: ")
    assert captured.err.count("\n") == 1
    no_gzip.write_bytes(b"\x1f\x8b\x08\x00")
    assert run(["score", "--records", str(no_gzip), "--format", "jsonl"]) == 3
    assert capfd.readouterr().err.count("\n") == 1


def test_many_records_keep_their_order(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paipu.cli.score._CHUNK", 3)
    records = jsonl(tmp_path, *[line(number) for number in range(10)])
    assert [row["id"] for row in lines(capfd, "--records", records, "--preset", "tw_full")] == [
        f"w{number}" for number in range(10)
    ]


def test_a_file_name_cannot_write_to_the_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a\x1b[31m\nb.jsonl"
    path.write_bytes(b"{")
    assert run(["score", "--records", str(path), "--format", "jsonl"]) == 1
    error = capfd.readouterr().err
    assert "\x1b" not in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("lang", "row", "reason"),
    [
        ("zh-TW", "不能胡", "未達起胡台數"),
        ("zh-CN", "不能胡", "未达起胡台数"),
        ("en", "No win", "below the minimum tai"),
    ],
)
def test_a_refusal_is_said_in_words(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, lang: str, row: str, reason: str
) -> None:
    strict = tmp_path / "strict.toml"
    strict.write_text('id = "strict"\nextends = "tw_general"\n[options]\nmin_tai = 5\n', encoding="utf-8")
    table = list(csv.reader(io.StringIO(out(capfd, HAND, "--preset", str(strict), "--lang", lang, "--format", "csv"))))
    assert [row, reason] in table


RIICHI_HAND = "234m067p45678sWW +3s"


@pytest.mark.parametrize(
    "flag", ["riichi=x", "riichi=1.5", "riichi=3", "riichi=99999999999999999999", "kita=9", "dora", "dora=", "ura",
             "ippatsu=2", "haitei=yes"],
)  # fmt: skip
def test_a_riichi_flag_that_cannot_be(flag: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["score", RIICHI_HAND, "--preset", "tenhou_4p", "--flag", flag]) == 2
    error = capfd.readouterr().err
    assert error.startswith("paipu: flag ")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("hand", "words"),
    [
        ("67p345678s99s kakan:CCC +8p", "4 equal tiles"),
        ("67p345678s99s pon:C +8p", "3 equal tiles"),
        ("67p345678s99s chi:135m +8p", "three neighbours"),
        ("67p345678s99s chi:EEE +8p", "three neighbours"),
        ("67p345678s99s chi:89m1p +8p", "three neighbours"),
        ("67p345678s99s +8p", "there should be 13"),
        ("4444m67p34s99s pon:444m +8p", "7 tiles 4m"),
    ],
)
def test_a_riichi_hand_that_cannot_be(hand: str, words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["score", hand, "--preset", "tenhou_4p"]) == 2
    assert words in capfd.readouterr().err


def test_amounts_beyond_32_bits(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    record = {
        "dealer": 0, "streak": 0, "round": "E", "winner": 1, "win": "self_draw", "hand": "123456m789p99s22p",
        "win_tile": "2p", "melds": ["chow:345s"],
    }  # fmt: skip
    file = tmp_path / "w.jsonl"
    file.write_text(json.dumps({"id": "w", "stake": {"base": 0, "unit": 2147483647}, "record": record}))
    assert run(["score", "--records", str(file), "--preset", "tw_general", "--format", "jsonl"]) == 0
    line = json.loads(capfd.readouterr().out)
    assert line["valid"]
    assert all(bill["amount"] == bill["tai"] * 2147483647 for bill in line["pay"].values())
    assert line["winner_receives"] == sum(bill["amount"] for bill in line["pay"].values())


def test_six_plus_one_whose_hand_is_below_the_minimum(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The flower win stands (10 tai); as a self-draw the hand would be no win, so the two others owe nothing."""
    record = {
        "dealer": 3, "streak": 0, "round": "E", "winner": 1, "win": "seven_robs_one", "hand": "123456m789p99s22p",
        "win_tile": "2p", "melds": ["chow:345s"], "from": 0, "flowers": [1, 2, 3, 4, 5, 6, 7, 8],
        "flags": {"mode": "six_plus_one", "robbed_flower": 7},
    }  # fmt: skip
    file = tmp_path / "w.jsonl"
    file.write_text(json.dumps({"id": "w", "stake": {"base": 100, "unit": 20}, "record": record}))
    paid = {}
    for minimum in (0, 5):
        club = tmp_path / f"club{minimum}.toml"
        club.write_text(f'id = "club{minimum}"\nextends = "tw_luohan_v2"\n[options]\nmin_tai = {minimum}\n')
        assert run(["score", "--records", str(file), "--preset", str(club), "--format", "jsonl"]) == 0
        line = json.loads(capfd.readouterr().out)
        paid[minimum] = {seat: bill["amount"] for seat, bill in line["pay"].items()}
        assert line["winner_receives"] == sum(paid[minimum].values())
    assert paid[0] == {"0": 300, "2": 180, "3": 200}
    assert paid[5] == {"0": 300}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--win", "tsumo", "--flag", "chankan"], "flag chankan needs the tile of another player"),
        (["--win", "ron", "--flag", "rinshan"], "flag rinshan needs a self-draw"),
        (["--win", "ron", "--flag", "tenhou", "--seat", "E"], "flag tenhou needs a self-draw of the dealer"),
        (["--win", "tsumo", "--flag", "chiihou", "--seat", "E"], "flag chiihou needs"),
        (["--win", "ron", "--flag", "ippatsu"], "flag ippatsu needs riichi"),
        (["--flag", "dora=1m1m1m1m1m1m"], "one to 5 indicators"),
        (["--flag", f"riichi={'9' * 5000}"], "flag riichi is"),
    ],
)
def test_riichi_flags_that_contradict(args: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["score", RIICHI_HAND, "--preset", "tenhou_4p", *args]) == 2
    assert words in capfd.readouterr().err


def test_riichi_needs_a_concealed_hand(capfd: pytest.CaptureFixture[str]) -> None:
    hand = "67p34567899s chi:234m +8p"
    assert run(["score", hand, "--preset", "tenhou_4p", "--flag", "riichi"]) == 2
    assert "flag riichi needs a concealed hand" in capfd.readouterr().err
    assert run(["score", hand.replace("chi:234m", "ankan:CCCC"), "--preset", "tenhou_4p", "--flag", "riichi"]) == 0
