"""The guard of instruction counts: what it reads and concludes. Nothing is counted here."""

import struct
from dataclasses import replace

import pytest

from benchmarks.instructions import __main__ as guard
from benchmarks.instructions import recorded as records
from benchmarks.instructions.callgrind import Cost, Count, per_call, read_costs
from benchmarks.instructions.elf import Compiler, compiler, functions
from benchmarks.instructions.recorded import Recorded, compare, table
from benchmarks.instructions.workload import KERNELS

GCC = "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
SAME = Compiler("GCC", "12.3.0")
CALLGRIND = """\
# callgrind format
version: 1
positions: line
events: Ir
summary: 1000

ob=/usr/bin/python3
fl=a.c
fn=main
10 5
cob=/x/_hmm.cpython-311-x86_64-linux-gnu.so
cfn=outer
calls=1 20
11 900

ob=/x/_hmm.cpython-311-x86_64-linux-gnu.so
fl=b.c
fn=outer
20 30
fi=b.h
21 4
fe=b.c
cob=/usr/lib/libm.so.6
cfn=log
calls=2 7
22 50
cfn=inner.arch_x86_64_v3
calls=3 30
23 700
cob=/usr/lib/libc.so.6
cfn=memset
calls=1 9
24 80

fn=inner.arch_x86_64_v3
30 600
31 100

ob=/usr/lib/libm.so.6
fn=log
7 50

totals: 1000
"""


def make_elf(path, names, comment):
    """A file with a symbol table of functions, one variable, and a comment."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in [*names, "variable"])
    symbols, place = b"", 1
    for kind, name in [*((2, name) for name in names), (1, "variable")]:
        symbols += struct.pack("<IBBHQQ", place, kind, 0, 1, 0, 0)
        place += len(name) + 1
    section_names = b"\0.symtab\0.strtab\0.comment\0.shstrtab\0"
    contents = [b"", symbols, strings, comment.encode() + b"\0", section_names]
    kinds, links, titles = [0, 2, 3, 1, 3], [0, 2, 0, 0, 0], [0, 1, 9, 17, 26]
    body, headers = b"", b""
    for title, kind, link, content in zip(titles, kinds, links, contents, strict=True):
        offset = 64 + len(body)
        headers += struct.pack(
            "<IIQQQQIIQQ", title, kind, 0, 0, offset, len(content), link, 0, 1, 0
        )
        body += content
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, 5, 4)
    path.write_bytes(head + body + headers)
    return path


@pytest.fixture
def recorded():
    counts = {name: Count(1000, "f.arch_x86_64_v3") for name in KERNELS}
    return Recorded(counts, Compiler("GCC", "12.2.0"), "3.19.0", tolerance=0.05)


@pytest.fixture
def run(recorded, tmp_path, monkeypatch):
    """The command with a given count for the first kernel, and the file it reads and writes."""
    file = tmp_path / "expected.json"
    records.write(recorded, file)
    monkeypatch.setattr(records, "FILE", file)
    monkeypatch.setattr(guard, "reason_to_skip", lambda: None)
    monkeypatch.setattr(guard, "valgrind_version", lambda: "3.20.0")

    def call(instructions, *options, used=SAME, function="f.arch_x86_64_v3"):
        counts = dict(recorded.counts) | {next(iter(KERNELS)): Count(instructions, function)}
        monkeypatch.setattr(guard, "count", lambda: counts)
        monkeypatch.setattr(guard, "built_by", lambda: used)
        monkeypatch.setattr("sys.argv", ["instructions", *options])
        return guard.main()

    return call


def test_own_costs_are_summed_by_function_without_those_of_calls():
    cost = read_costs(CALLGRIND.splitlines(keepends=True))["_hmm"]
    assert cost.functions == {"outer": 34, "inner.arch_x86_64_v3": 700}


def test_calls_of_the_mathematical_library_count_and_other_calls_do_not():
    costs = read_costs(CALLGRIND.splitlines(keepends=True))
    assert costs["_hmm"].mathematics == 50
    assert costs["python3"].mathematics == 0


def test_a_call_takes_what_two_take_more_than_one():
    once, twice = Cost(), Cost(mathematics=12)
    once.functions.update(load=500, f=40)
    twice.functions.update(load=500, f=70, g=5)
    assert per_call(once, twice) == Count(30 + 5 + 12, "f")


def test_nothing_counted_is_an_error():
    with pytest.raises(ValueError, match="no instruction"):
        per_call(Cost(), Cost())


@pytest.mark.parametrize(
    ("instructions", "verdict"),
    [(1050, "ok"), (1051, "rose"), (950, "ok"), (949, "fell"), (1000, "ok")],
)
def test_verdict_on_both_sides_of_the_tolerance(recorded, instructions, verdict):
    counts = {name: Count(instructions, "f") for name in recorded.counts}
    assert {c.verdict for c in compare(counts, recorded)} == {verdict}


def test_table_shows_both_counts_the_change_and_the_function(recorded):
    name = next(iter(KERNELS))
    line = table(compare({name: Count(1234567, "f.default")}, recorded)).splitlines()[1]
    assert line.split() == [name, "1,000", "1,234,567", "+123356.70%", "rose", "f.default"]


def test_a_rise_is_code_1_and_says_so(run, capsys):
    assert run(1100) == 1
    assert "Counts rose" in capsys.readouterr().out


def test_a_fall_is_code_0_and_advises_to_record_it(run, capsys):
    assert run(900) == 0
    assert "--update" in capsys.readouterr().out


def test_no_change_is_code_0_without_advice(run, capsys):
    assert run(1001) == 0
    assert "--update" not in capsys.readouterr().out


@pytest.mark.parametrize("used", [Compiler("GCC", "13.2.0"), Compiler("clang", "16.0.6")])
def test_counts_of_another_compiler_are_shown_but_not_judged(run, used, capsys):
    assert run(5000, used=used) == 0
    printed = capsys.readouterr().out
    assert "5,000" in printed
    assert "Not judged" in printed


def test_another_version_of_the_function_is_named(run, capsys):
    assert run(1000, function="f.default") == 0
    assert "were in f.arch_x86_64_v3, now they are in f.default" in capsys.readouterr().out


def test_update_records_counts_compiler_and_valgrind(run, recorded):
    assert run(900, "--update", used=Compiler("GCC", "13.2.0")) == 0
    name = next(iter(KERNELS))
    counts = recorded.counts | {name: Count(900, "f.arch_x86_64_v3")}
    wanted = replace(recorded, counts=counts, compiler=Compiler("GCC", "13.2.0"), valgrind="3.20.0")
    assert records.read(records.FILE) == wanted
    assert run(900, used=Compiler("GCC", "13.2.0")) == 0


def test_a_kernel_without_a_record_is_code_1(run, recorded, capsys):
    records.write(replace(recorded, counts={}), records.FILE)
    assert run(1000) == 1
    assert "no recorded count" in capsys.readouterr().out


def test_without_valgrind_a_sentence_says_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["instructions"])
    monkeypatch.setenv("PATH", "")
    assert guard.main() == 0
    assert "apt-get install valgrind" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["instructions", "--update"])
    with pytest.raises(SystemExit) as ended:
        guard.main()
    assert ended.value.code == 2


def test_a_compiler_that_makes_no_versions_is_a_reason_to_skip(run, capsys):
    assert run(5000, used=Compiler("GCC", "11.4.0")) == 0
    assert "GCC 11.4.0" in capsys.readouterr().out


def test_a_failure_to_count_is_code_2(run, monkeypatch):
    def fail():
        raise RuntimeError("valgrind ended with code 1: no memory")

    run(1000)
    monkeypatch.setattr(guard, "count", fail)
    with pytest.raises(SystemExit) as ended:
        guard.main()
    assert ended.value.code == 2


def test_avx2_is_a_word_of_the_flags():
    assert guard.has_avx2("processor : 0\nflags\t\t: sse4_2 avx avx2 bmi1\n")
    assert not guard.has_avx2("model name : avx2\nflags\t\t: sse4_2 avx\n")


def test_the_committed_file_has_every_kernel():
    assert set(records.read(records.FILE).counts) == set(KERNELS)


def test_a_file_of_something_else_is_refused(tmp_path):
    file = tmp_path / "expected.json"
    for text in ("[]", "{}", "no"):
        file.write_text(text)
        with pytest.raises(ValueError, match="not a record of counts"):
            records.read(file)


def test_functions_and_compiler_are_read_from_a_file(tmp_path):
    file = make_elf(tmp_path / "x.so", ["sfm_x.default", "sfm_x"], GCC)
    assert functions(file) == {"sfm_x.default", "sfm_x"}
    assert compiler(file) == Compiler("GCC", "12.2.0")


@pytest.mark.parametrize(
    ("comment", "wanted"),
    [
        ("GCC: (GNU) 13.2.1 20231205 (Red Hat 13.2.1-6)", "GCC 13.2.1"),
        (f"GCC: (GNU) 9.4.0\0{GCC}", "GCC 12.2.0"),
        (f"{GCC}\0Debian clang version 14.0.6", "clang 14.0.6"),
    ],
)
def test_signatures_of_compilers(tmp_path, comment, wanted):
    assert str(compiler(make_elf(tmp_path / "x.so", [], comment))) == wanted


def test_versions_are_made_from_gcc_12_and_clang_16_on():
    made = {name: Compiler(name, "12.1").makes_versions for name in ("GCC", "clang")}
    assert made == {"GCC": True, "clang": False}
    assert Compiler("clang", "16.0").makes_versions
    assert not Compiler("GCC", "11.4.0").makes_versions


def test_a_file_that_is_none_is_refused(tmp_path):
    file = tmp_path / "x.so"
    file.write_bytes(b"MZ" + bytes(100))
    with pytest.raises(ValueError, match="not an ELF file"):
        functions(file)
    with pytest.raises(ValueError, match="no compiler"):
        compiler(make_elf(file, [], ""))
