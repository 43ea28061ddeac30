"""The data home, downloads from a local server, and archives."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import hashlib
import inspect
import io
import sys
import threading
from contextlib import redirect_stderr
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Unpack, get_type_hints

import pytest

import skparaphrase
from skparaphrase import datasets
from skparaphrase.datasets import _fetch
from skparaphrase.datasets._fetch import (
    Download,
    decode_lines,
    fetch_file,
    read_descr,
    read_members,
    sources,
)

FETCH = [getattr(datasets, name) for name in datasets.__all__ if name[:6] == "fetch_"]
CONTENT = Random(0).randbytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_data_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("SKPARAPHRASE_HOME", raising=False)
    assert _fetch.find_data_home(None) == tmp_path / "skparaphrase_data"
    assert _fetch.find_data_home("~/a/b") == tmp_path / "a" / "b"
    monkeypatch.setenv("SKPARAPHRASE_HOME", str(tmp_path / "c"))
    assert _fetch.find_data_home(None) == tmp_path / "c"
    assert _fetch.find_data_home(tmp_path / "d") == tmp_path / "d"
    assert names(tmp_path) == ["a", "c", "d", "skparaphrase_data"]


# Downloads --------------------------------------------------------------------------


class Server:
    """Responses by path; each is a status, a content, and the length to send."""

    def __init__(self):
        self.answers, self.requests = {}, []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.requests.append(self.path)
                answers = server.answers.get(self.path, [(404, b"", None)])
                status, content, upto = answers.pop(0) if answers[1:] else answers[0]
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[:upto])

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


@pytest.fixture
def server(monkeypatch):
    pytest.importorskip("pooch")
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # of pooch before a retry
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def fetch(server, tmp_path, monkeypatch):
    """Fetches `f.bin`, from two addresses of the server."""

    def fetch(sha256=SHA256, name="f.bin", **options):
        file = {"urls": [f"{server.url}/{{name}}", f"{server.url}/mirror/{{name}}"]}
        if sha256:
            file["sha256"] = sha256
        monkeypatch.setitem(sources(), "test", {name: file})
        return fetch_file("test", name, data_home=tmp_path, **options)

    return fetch


RIGHT = (200, CONTENT, None)


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_file_is_downloaded_once(server, fetch, tmp_path, sha256):
    server.answers["/f.bin"] = [RIGHT]
    for _ in range(2):
        path = fetch(sha256)
        assert path == tmp_path / "test" / "f.bin"
        assert path.read_bytes() == CONTENT
        assert names(path.parent) == ["f.bin"]
    assert server.requests == ["/f.bin"]
    path.write_bytes(b"of a person")  # is used unchanged
    assert fetch(sha256).read_bytes() == b"of a person"


@pytest.mark.parametrize(
    "wrong",
    [(200, CONTENT, 100_000), (503, b"", None), (200, CONTENT[:-1] + b"?", None)],
    ids=["cut", "status", "checksum"],
)
def test_downloads_that_fail_are_repeated(server, fetch, wrong):
    server.answers["/f.bin"] = [wrong, wrong, RIGHT]
    assert fetch(n_retries=2).read_bytes() == CONTENT
    assert server.requests == ["/f.bin"] * 3


def test_a_download_shows_its_progress(server, fetch):
    shown = io.StringIO()
    shown.isatty = lambda: True
    server.answers["/f.bin"] = [(200, CONTENT, 100_000), RIGHT]
    with redirect_stderr(shown), skparaphrase.show_progress():
        fetch(n_retries=1)
    assert "100%" in shown.getvalue() and "300k/300k" in shown.getvalue()


def test_the_mirror_is_asked_last(server, fetch):
    server.answers["/mirror/f.bin"] = [RIGHT]
    assert fetch(n_retries=1).read_bytes() == CONTENT
    assert server.requests == ["/f.bin", "/f.bin", "/mirror/f.bin"]


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_an_interrupted_download_leaves_no_file(server, fetch, tmp_path, sha256):
    cut = [(200, CONTENT, 100_000)]
    server.answers |= {"/f.bin": cut, "/mirror/f.bin": cut}
    match = (
        rf"f\.bin could not be downloaded\. {server.url}/f\.bin: .*mirror.*put it at"
    )
    with pytest.raises(OSError, match=match):
        fetch(sha256, n_retries=0)
    assert names(tmp_path / "test") == []
    server.answers["/f.bin"] = [RIGHT]
    assert fetch(sha256).read_bytes() == CONTENT


def test_without_pooch(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r"needs pooch.*skparaphrase\[data\]"):
        datasets.fetch_ppdb(data_home=tmp_path)
    path = tmp_path / "ppdb" / "ppdb-2.0-s-lexical.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(b""))
    assert datasets.fetch_ppdb(data_home=tmp_path).data.shape == (0, 2)


@pytest.mark.parametrize(
    ("fetch", "params", "name"),
    [
        (datasets.fetch_sts, {"year": 2012}, "sts/STS2012-en-test.zip"),
        (datasets.fetch_stsb, {}, "stsb/Stsbenchmark.tar.gz"),
        (datasets.fetch_sick, {}, "sick/SICK.zip"),
        (datasets.fetch_sick, {"version": "semeval"}, "sick/sick_train.zip"),
        (datasets.fetch_ppdb, {"version": "1.0"}, "ppdb/ppdb-1.0-s-lexical.gz"),
        (datasets.fetch_glove, {"name": "42B.300d"}, "glove/glove.42B.300d.zip"),
    ],
)
def test_a_missing_file_is_named_with_its_address(tmp_path, fetch, params, name):
    with pytest.raises(OSError, match="is missing and download_if_missing=False") as i:
        fetch(**params, data_home=tmp_path, download_if_missing=False)
    assert str(tmp_path / name) in str(i.value)
    assert name.partition("/")[2] in str(i.value).partition("https://")[2]


@pytest.mark.parametrize("fetch", FETCH)
def test_all_share_the_options_of_downloads(fetch):
    *_, last = inspect.signature(fetch).parameters.values()
    assert last.kind is last.VAR_KEYWORD
    assert get_type_hints(fetch)["download"] == Unpack[Download]
    with pytest.raises(TypeError, match="unexpected keyword argument 'home'"):
        params = {"year": 2012} if fetch is datasets.fetch_sts else {}
        fetch(**params, home="x")


def test_every_source_is_described_completely():
    assert sorted(sources()) == sorted(fetch.__name__[6:] for fetch in FETCH)
    for name, files in sources().items():
        if name != "glove":
            assert "icen" in read_descr(name)
        for file in files.values():
            assert file.keys() <= {"urls", "sha256", "members", "parts"}
            assert len(file.get("sha256", "0" * 64)) == 64
            # An address without encryption is a mirror of one with it.
            first, *others = file["urls"]
            assert first.startswith("https://")
            assert set(others) <= {first.replace("https", "http", 1)}


# Archives ---------------------------------------------------------------------------


def test_members_are_unpacked_once_and_wholly(tmp_path, archive):
    path = tmp_path / "home" / "glove" / "glove.42B.300d.zip"
    name, options = "glove.42B.300d.txt", {"data_home": tmp_path / "home"}
    members = {f"../../{name}": b"the 1 2\n" * 999, "../../x.txt": b"x"}
    raw = archive(path, members).read_bytes()
    path.write_bytes(raw[:60] + bytes(9) + raw[69:])
    for _ in range(2):
        with pytest.raises(OSError, match=r"42B\.300d\.zip is damaged .* Delete it"):
            fetch_file("glove", name, **options)
        assert names(path.parent) == [path.name]
    path.write_bytes(raw)
    assert fetch_file("glove", name, **options).read_bytes() == b"the 1 2\n" * 999
    assert names(tmp_path) == ["home"]
    assert names(path.parent) == [name, path.name]
    path.unlink()
    assert fetch_file("glove", name, **options).is_file()


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
    if packed.suffix == ".gz":  # which some servers decompress
        packed.write_bytes(gzip.decompress(packed.read_bytes()))
        assert read_members(packed, ["b.txt"]) == [b"b"]


@pytest.mark.parametrize("how", ["cut", "middle", "start"])
def test_a_damaged_archive_says_what_to_do(packed, how):
    raw = packed.read_bytes()
    place = {"cut": len(raw) - 300, "middle": len(raw) // 2, "start": 40}[how]
    rest = b"" if how == "cut" else bytes(20) + raw[place + 20 :]
    packed.write_bytes(raw[:place] + rest)
    with pytest.raises(OSError, match=f"{packed.name} is damaged .* Delete it to"):
        read_members(packed, [f"{i}.txt" for i in range(9)])


def test_a_changed_bit_of_a_tar_is_found(tmp_path, archive):
    """Tar has no checksum of contents; the checksum of gzip is at the end."""
    path = archive(tmp_path / "a.tar.gz", {"a.txt": b"plane\n"})
    raw = gzip.compress(gzip.decompress(path.read_bytes()), compresslevel=0)
    path.write_bytes(raw)
    assert read_members(path, ["a.txt"]) == [b"plane\n"]
    path.write_bytes(raw.replace(b"plane", b"plank"))
    with pytest.raises(OSError, match=r"a\.tar\.gz is damaged"):
        read_members(path, ["a.txt"])


# Old files ---------------------------------------------------------------------------


def test_lines_that_are_not_utf8_are_of_windows():
    content = "na\u00efve\n".encode() + b"\x93so\x94 na\xefve\x81\nplain"
    assert decode_lines(content) == ["naïve", "“so” naïve\ufffd", "plain"]
