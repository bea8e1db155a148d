"""``--checkpoint``, ``--shard`` and ``--scheduler`` of ``sfmvision``."""

import os

import pytest


@pytest.fixture
def trained(run, small, tmp_path):
    """Train, and give the bytes of the model."""

    def call(folder, *more, name="model"):
        path = tmp_path / f"{name}.sfm"
        outcome = run("train", folder, "-o", path, *small, *more)
        assert outcome.code == 0, outcome.err
        return path.read_bytes()

    return call


def stamps(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_a_checkpoint_keeps_words_pairs_and_descriptors(trained, model, scenes, tmp_path):
    folder = tmp_path / "kept"
    plain = model.read_bytes()
    assert trained(scenes, "--checkpoint", folder) == plain
    before = stamps(folder)
    names = {path.name for path in before if path.parent.name == "results"}
    held_out = {f"map-{number}-held-out-{fold}" for number in range(3) for fold in range(4)}
    assert {name.partition("-pair-")[0] for name in names} == {
        "preparation-0", "class-0", "class-1", "class-2", *held_out,
    }  # fmt: skip
    assert (folder / "descriptors").is_dir()
    assert trained(scenes, "--checkpoint", folder, name="again") == plain
    assert stamps(folder) == before


def test_descriptors_go_where_the_cache_is(trained, model, scenes, tmp_path):
    folder, cache = tmp_path / "kept", tmp_path / "cache"
    made = trained(scenes, "--checkpoint", folder, "--cache", cache)
    assert made == model.read_bytes()
    assert not (folder / "descriptors").exists()
    assert any(cache.rglob("*"))


def test_other_images_are_refused(run, trained, small, own_scenes, tmp_path):
    folder = tmp_path / "kept"
    trained(own_scenes, "--checkpoint", folder)
    next(own_scenes.rglob("3.png")).unlink()
    outcome = run("train", own_scenes, "-o", tmp_path / "x", *small, "--checkpoint", folder)
    assert outcome.code == 2
    assert outcome.messages[-1].endswith("was started with other data: give another folder")


@pytest.mark.parametrize("n_shards", [1, 5, 40])
def test_parts_one_after_another_are_the_whole(run, model, scenes, n_shards):
    whole = run("predict", model, scenes)
    parts = [
        run("predict", model, scenes, "--shard", f"{number}/{n_shards}")
        for number in range(1, n_shards + 1)
    ]
    assert [part.code for part in parts] == [0] * n_shards
    assert "".join(part.out for part in parts) == whole.out
    assert run("predict", model, scenes, "--shard", "9/5").code == 2


@pytest.mark.slow
def test_a_cluster_gives_the_bits_of_one_machine(
    run, trained, model, own_scenes, small, tmp_path, monkeypatch
):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    (own_scenes / "a.png").write_bytes(b"no image")
    monkeypatch.chdir(tmp_path)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=90
    ) as made:
        # Paths are of this folder, and the workers are in another.
        monkeypatch.chdir(own_scenes.parent)
        there = "--scheduler", made.scheduler_address
        name = os.path.relpath(own_scenes)
        assert trained(name, *there) == trained(name, name="here")
        tables = [run("predict", model, name, *more) for more in ((), there)]
        tests = [run("test", model, name, *more) for more in ((), there)]
        reports = []
        for more in ((), there):
            path = tmp_path / f"report{len(reports)}.json"
            command = ["evaluate", name, *small, "--partitions", 2, "--json", path]
            assert run(*command, *more).code == 0
            reports.append(path.read_text())
    assert tests[0].out == tests[1].out != ""
    assert tests[0].err == tests[1].err
    assert f"{name}/blobs/0.png" in tests[0].err
    assert tables[0].out == tables[1].out
    assert tables[0].err == tables[1].err
    assert f"{name}/a.png" in tables[0].out
    assert reports[0] == reports[1]
