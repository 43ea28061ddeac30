"""The data home, and the files and archives in it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import gzip
import io
import sys
import tarfile
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from random import Random

import pytest

from skparaphrase import datasets
from skparaphrase.datasets import _cache
from skparaphrase.datasets._cache import (
    Cache,
    _writing,
    read_members,
    sha256_of,
    sources,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_data_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("SKPARAPHRASE_HOME", raising=False)
    assert datasets.get_data_home() == str(tmp_path / "skparaphrase_data")
    assert datasets.get_data_home("~/a/b") == str(tmp_path / "a" / "b")
    monkeypatch.setenv("SKPARAPHRASE_HOME", str(tmp_path / "c"))
    assert datasets.get_data_home() == str(tmp_path / "c")
    assert datasets.get_data_home(tmp_path / "d") == str(tmp_path / "d")
    assert names(tmp_path) == ["a", "c", "d", "skparaphrase_data"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_clearing_spares_what_links_lead_to(tmp_path):
    large, home = tmp_path / "large", tmp_path / "home"
    (large / "glove").mkdir(parents=True)
    (large / "glove" / "x.zip").write_text("x")
    home.mkdir()
    (home / "glove").symlink_to(large / "glove")
    (tmp_path / "link").symlink_to(home)
    datasets.clear_data_home(tmp_path / "link")
    assert names(home) == []
    assert names(tmp_path) == ["home", "large", "link"]
    assert names(large / "glove") == ["x.zip"]


def test_clearing_spares_what_is_not_ours(tmp_path):
    home = tmp_path / "home"
    with pytest.raises(OSError, match="download_if_missing"):
        datasets.fetch_stsb(data_home=home, download_if_missing=False)
    (home / "stsb" / "x").write_text("x")
    (home / "thesis.txt").write_text("mine")
    datasets.clear_data_home(home)
    assert names(home) == ["thesis.txt"]
    (home / "thesis.txt").unlink()
    datasets.clear_data_home(home)
    assert not home.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="locks of another kind")
@pytest.mark.parametrize("code", ["ENOSYS", "ENOLCK", "EOPNOTSUPP"])
def test_a_file_system_without_locks(tmp_path, monkeypatch, code):
    def no_locks(*args):
        raise OSError(getattr(errno, code), "no locks here")

    monkeypatch.setattr("fcntl.flock", no_locks)
    match = r"(no locks here|support flock).*SKPARAPHRASE_HOME"
    with pytest.raises(OSError, match=match), _writing(tmp_path / "lock"):
        pass


def test_one_thread_at_a_time(tmp_path):
    inside, together = [], threading.Barrier(6)

    def hold(_):
        together.wait()
        for _ in range(20):
            with _writing(tmp_path / "a"):
                inside.append(None)
                assert len(inside) == 1
                inside.pop()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(hold, range(6))) == [None] * 6
    assert names(tmp_path) == []


def test_download_if_missing(public, tmp_path):
    with pytest.raises(OSError, match="is missing and download_if_missing=False") as i:
        datasets.fetch_sts(2012, data_home=tmp_path, download_if_missing=False)
    path = tmp_path / "sts" / "STS2012-en-test.zip"
    url = "https://ixa2.si.ehu.eus/stswiki/images/4/40/STS2012-en-test.zip"
    assert url in str(i.value)
    assert str(path) in str(i.value)
    assert public[1] == []


def test_a_full_disk_is_not_the_servers_fault(tmp_path, monkeypatch):
    pytest.importorskip("pooch")

    def request(url, file, pooch):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pooch.HTTPDownloader", lambda **_: request)
    with pytest.raises(OSError, match="No space left") as info:
        datasets.fetch_sts(2012, data_home=tmp_path)
    assert info.value.errno == errno.ENOSPC


@pytest.mark.parametrize("package", ["pooch", "tqdm"])
def test_missing_packages(tmp_path, monkeypatch, package):
    pytest.importorskip("pooch")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}.*skparaphrase\[data\]"):
        datasets.fetch_trecqa(data_home=tmp_path, progressbar=True)
    (tmp_path / "trecqa" / "train.xml").write_bytes(b"")
    bunch = datasets.fetch_trecqa(data_home=tmp_path, progressbar=True)
    assert bunch.data.shape == (0, 2)


@pytest.mark.parametrize(
    "wrong", [{"subset": "x"}, {"n_retries": -1}, {"n_retries": 1.5}, {"delay": "1"}]
)
def test_wrong_parameters(tmp_path, wrong):
    with pytest.raises((TypeError, ValueError), match=next(iter(wrong))):
        datasets.fetch_stsb(data_home=tmp_path, **wrong)


def test_members_stay_in_the_cache(tmp_path, archive):
    path = tmp_path / "home" / "glove" / "glove.42B.300d.zip"
    members = {"../../glove.42B.300d.txt": b"the 1 2\n" * 999, "../../x.txt": b"x"}
    raw = archive(path, members).read_bytes()
    path.write_bytes(raw[:60] + bytes(9) + raw[69:])
    cache = Cache("glove", tmp_path / "home")
    for _ in range(2):
        with pytest.raises(OSError, match=r"42B\.300d\.zip is damaged .* Delete it"):
            cache.get("glove.42B.300d.txt")
        assert names(path.parent) == [path.name]
    path.write_bytes(raw)
    assert cache.get("glove.42B.300d.txt").read_bytes() == b"the 1 2\n" * 999
    assert names(tmp_path) == ["home"]
    assert names(path.parent) == ["glove.42B.300d.txt", path.name]
    with pytest.raises(KeyError, match=r"glove\.9B\.zip"):
        cache.get("glove.9B.zip")


def test_threads_unpack_once(tmp_path, monkeypatch, archive):
    text = "the 1 2\n" + "".join(f"w{i} {i} 3\n" for i in range(20_000))
    path = tmp_path / "glove" / "glove.42B.300d.zip"
    archive(path, {"glove.42B.300d.txt": text})
    # What another process, killed in the middle, has left.
    (path.parent / "glove.42B.300d.txt.part").write_text("the 1")
    together = threading.Barrier(6)

    def unpack(*arguments):
        together.wait()  # all have seen that there is no text file
        unpack_member(*arguments)

    unpack_member = _cache.unpack_member
    monkeypatch.setattr(_cache, "unpack_member", unpack)
    with ThreadPoolExecutor(6) as pool:
        fetch = partial(datasets.fetch_glove, data_home=tmp_path)
        assert [*map(len, pool.map(fetch, ["42B.300d"] * 6))] == [20_001] * 6
    assert names(path.parent) == ["glove.42B.300d.txt", path.name]


@pytest.fixture(params=["a.zip", "a.tar.gz"])
def packed(request, tmp_path, archive):
    random = Random(0)
    members = {f"x/{i}.txt": random.randbytes(900) for i in range(9)}
    members |= {"x/5.txt": b"5", "x/y/5.txt": b"", "b.txt": b"b"}
    return archive(tmp_path / request.param, members)


def test_members_nearest_to_the_top_are_read(packed):
    assert read_members(packed, ["b.txt", "5.txt"]) == [b"b", b"5"]
    (read,) = read_members(packed, ["-"], lambda name: name.replace("b.txt", "-"))
    assert read == b"b"
    with pytest.raises(ValueError, match=r"a\.(zip|tar\.gz) has no member c\.txt"):
        read_members(packed, ["c.txt"])


@pytest.mark.parametrize("how", ["cut", "middle", "start"])
def test_a_damaged_archive_says_what_to_do(packed, how):
    raw = packed.read_bytes()
    place = {"cut": len(raw) - 300, "middle": len(raw) // 2, "start": 40}[how]
    rest = b"" if how == "cut" else bytes(20) + raw[place + 20 :]
    packed.write_bytes(raw[:place] + rest)
    with pytest.raises(OSError, match=f"{packed.name} is damaged .* Delete it to"):
        read_members(packed, [f"{i}.txt" for i in range(9)])


@pytest.mark.parametrize(
    ("place", "value"), [(8, 0x20), (6, 0xFF), (10, 99), (42, 0xFF)]
)
def test_a_changed_directory_of_a_zip_file(place, value, tmp_path, archive):
    """Flags, version, compression or position: `zipfile` has an error for each."""
    path = archive(tmp_path / "a.zip", {"a.txt": b"plane\n"})
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\1\2") + place] = value
    path.write_bytes(raw)
    with pytest.raises(OSError, match=r"a\.zip is damaged .* Delete it to"):
        read_members(path, ["a.txt"])


def test_a_full_disk_is_no_damage(tmp_path, archive, monkeypatch):
    path = archive(tmp_path / "a.zip", {"a.txt": b"plane\n"})

    def fail(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_cache.shutil, "copyfileobj", fail)
    with pytest.raises(OSError, match=r"^\[Errno 28\] No space left on device$"):
        _cache.unpack_member(path, "a.txt", tmp_path / "a.txt")


def test_a_damaged_record(tmp_path):
    path = tmp_path / "trecqa/dev.xml"
    path.parent.mkdir()
    path.write_text("")
    path.with_name("dev.xml.sha256").write_bytes(b"\xff" * 64)
    with pytest.raises(OSError, match=r"dev\.xml has changed since its download"):
        datasets.fetch_trecqa("dev", data_home=tmp_path, download_if_missing=False)


def test_a_changed_bit_of_a_tar_is_found(tmp_path, archive):
    """Tar has no checksum of contents; that of gzip is at the very end."""
    path = archive(tmp_path / "a.tar.gz", {"a.txt": b"plane\n"})
    raw = gzip.compress(gzip.decompress(path.read_bytes()), compresslevel=0)
    path.write_bytes(raw)
    assert read_members(path, ["a.txt"]) == [b"plane\n"]
    path.write_bytes(raw.replace(b"plane", b"plank"))
    (tmp_path / "a.tar.gz.sha256").write_text(f"{sha256_of(path)}  {path.name}\n")
    with pytest.raises(OSError, match=r"Delete it and a\.tar\.gz\.sha256 to"):
        read_members(path, ["a.txt"])


def test_members_of_one_name_in_a_tar(tmp_path):
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as packed:
        for content in (b"one", b"two", None):
            member = tarfile.TarInfo("a.txt")
            member.type = tarfile.REGTYPE if content else tarfile.SYMTYPE
            member.linkname, member.size = "a.txt", len(content or b"")
            packed.addfile(member, io.BytesIO(content or b""))
    assert read_members(path, ["a.txt"]) == [b"one"]


def test_a_sparse_member_of_a_tar_takes_no_memory(tmp_path):
    member = tarfile.TarInfo("a.txt")
    member.type = tarfile.GNUTYPE_SPARSE
    raw = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    raw[483:495] = b"%011o\0" % 2**30  # the size that it stands for
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw)
    path = tmp_path / "a.tar.gz"
    path.write_bytes(gzip.compress(bytes(raw) + bytes(1024)))
    with pytest.raises(ValueError, match=r"a\.tar\.gz is damaged or malicious"):
        read_members(path, ["a.txt"])


def test_every_source_is_described_completely():
    fetched = [x[6:] for x in datasets.__all__ if x.startswith("fetch_")]
    assert sorted(sources()) == sorted(fetched)
    for files in sources().values():
        for file in files.values():
            assert file.keys() <= {"urls", "sha256", "members", "by_hand", "parts"}
            assert "urls" in file or "by_hand" in file
            assert len(file.get("sha256", "0" * 64)) == 64
            # An address without encryption is a mirror of one with it.
            first, *others = file.get("urls", ["https://"])
            assert first.startswith("https://")
            assert set(others) <= {first.replace("https", "http", 1)}
