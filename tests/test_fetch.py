"""Files fetched from a server that does what servers do."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from skparaphrase.datasets import _remote
from skparaphrase.datasets._remote import Cache, RemoteFile

pytest.importorskip("pooch")

MONDAY = "Mon, 03 Mar 2014 10:00:00 GMT"
TUESDAY = "Tue, 04 Mar 2014 10:00:00 GMT"
CONTENT = np.random.default_rng(0).bytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HALF = 9 * _remote._CHUNK


class Server:
    """Answers to a path by its steps, one a request; the last one stays."""

    def __init__(self):
        self.steps = {}
        self.requests = []
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with server.lock:
                    server.requests.append((self.path, dict(self.headers)))
                    steps = server.steps.get(self.path, [status(404)])
                    step = steps.pop(0) if len(steps) > 1 else steps[0]
                try:
                    step(self)
                except (BrokenPipeError, ConnectionResetError):
                    pass

            def end_headers(self):
                self.send_header("Connection", "close")
                super().end_headers()

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    def url(self, path="/f.bin"):
        return f"http://127.0.0.1:{self.http.server_port}{path}"

    def close(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()

    @property
    def ranges(self):
        return [headers.get("Range") for _, headers in self.requests]


def answer(
    content=CONTENT,
    *,
    modified=MONDAY,
    ranges=True,
    upto=None,
    length=True,
    wait=None,
    **headers,
):
    """A file; `upto` cuts it off, `wait` is waited for at that place."""

    def step(handler):
        start, code = 0, 200
        asked = handler.headers.get("Range")
        same = handler.headers.get("If-Range") in (None, modified)
        if asked and ranges and (same or ranges == "always"):
            start, code = int(asked.removeprefix("bytes=").removesuffix("-")), 206
            if start >= len(content):
                code = 416
        handler.send_response(code)
        if code == 206:
            whole = f"bytes {start}-{len(content) - 1}/{len(content)}"
            handler.send_header("Content-Range", whole)
        body = b"" if code == 416 else content[start:]
        if length:
            handler.send_header("Content-Length", str(len(body)))
        if modified:
            handler.send_header("Last-Modified", modified)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body[:upto])
        if wait is not None:
            handler.wfile.flush()
            wait()
            if upto is not None:
                handler.wfile.write(body[upto:])

    return step


def status(code, **headers):
    def step(handler):
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return step


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def cache(folder, *, n_retries=0, download_if_missing=True, progressbar=False):
    return Cache(folder, download_if_missing, n_retries, 0.0, progressbar)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def remote(server, sha256=SHA256, *more):
    return RemoteFile("f.bin", (server.url(), *more), sha256)


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_fetched_once(server, tmp_path, sha256):
    server.steps["/f.bin"] = [answer()]
    file = remote(server, sha256)
    for _ in range(3):
        path = cache(tmp_path).get(file)
        assert path.read_bytes() == CONTENT
    assert len(server.requests) == 1
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]
    assert (tmp_path / "f.bin.sha256").read_text() == f"{SHA256}  f.bin\n"
    assert abs(time.time() - path.stat().st_mtime) < 3600


def test_a_file_put_there_is_read(server, tmp_path):
    (tmp_path / "f.bin").write_bytes(b"mine")
    assert cache(tmp_path).get(remote(server)).read_bytes() == b"mine"
    assert not server.requests


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_cut_off_and_continued(server, tmp_path, sha256):
    server.steps["/f.bin"] = [answer(upto=HALF), answer(upto=_remote._CHUNK), answer()]
    with pytest.warns(UserWarning, match=r"Trying .*/f.bin again"):
        path = cache(tmp_path, n_retries=2).get(remote(server, sha256))
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-", f"bytes={HALF + _remote._CHUNK}-"]
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]


def test_what_was_cut_off_is_continued_by_the_next_call(server, tmp_path):
    server.steps["/f.bin"] = [answer(upto=HALF), answer()]
    with pytest.raises(OSError, match="could not be fetched"):
        cache(tmp_path).get(remote(server))
    assert names(tmp_path) == ["f.bin.part"]
    assert (tmp_path / "f.bin.part").read_bytes() == CONTENT[:HALF]
    assert cache(tmp_path).get(remote(server)).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]
    assert server.requests[1][1]["If-Range"] == MONDAY


def unwilling(handler):
    """The beginning of the rest, without its date."""
    start = int(handler.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    handler.send_response(206)
    whole = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
    handler.send_header("Content-Range", whole)
    handler.send_header("Content-Length", str(len(CONTENT) - start))
    handler.end_headers()
    handler.wfile.write(CONTENT[start : start + _remote._CHUNK])


@pytest.mark.parametrize(
    ("step", "n_bytes"),
    [(status(503), HALF), (unwilling, HALF + _remote._CHUNK)],
    ids=["503", "no_date"],
)
def test_what_has_come_is_kept_whatever_follows(server, tmp_path, step, n_bytes):
    server.steps["/f.bin"] = [answer(upto=HALF), step, answer()]
    with pytest.warns(UserWarning, match="again"):
        path = cache(tmp_path, n_retries=2).get(remote(server, None))
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-", f"bytes={n_bytes}-"]
    assert server.requests[2][1]["If-Range"] == MONDAY


def test_servers_without_ranges_start_again(server, tmp_path):
    server.steps["/f.bin"] = [answer(upto=HALF), answer(ranges=False)]
    with pytest.warns(UserWarning, match="again"):
        path = cache(tmp_path, n_retries=1).get(remote(server))
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_files_without_a_date_are_continued_if_their_checksum_is_known(
    server, tmp_path, sha256
):
    steps = [answer(upto=HALF, modified=None), answer(modified=None)]
    server.steps["/f.bin"] = steps
    with pytest.warns(UserWarning, match="again"):
        path = cache(tmp_path, n_retries=1).get(remote(server, sha256))
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-" if sha256 else None]
    assert "If-Range" not in server.requests[1][1]


# Who ignores If-Range cannot be seen through where no checksum is known.
@pytest.mark.parametrize(
    ("known", "ranges"), [(True, True), (True, "always"), (False, True)]
)
def test_versions_of_a_file_are_not_joined(server, tmp_path, known, ranges):
    new = CONTENT[::-1]
    changed = answer(new, modified=TUESDAY, ranges=ranges)
    server.steps["/f.bin"] = [answer(upto=HALF), changed]
    sha256 = hashlib.sha256(new).hexdigest() if known else None
    with pytest.warns(UserWarning, match="again"):
        path = cache(tmp_path, n_retries=2).get(remote(server, sha256))
    assert path.read_bytes() == new


@pytest.mark.parametrize("extra", [b"", b"more"])
def test_a_part_as_long_as_the_file_is_fetched_again(server, tmp_path, extra):
    (tmp_path / "f.bin.part").write_bytes(CONTENT + extra)
    os.utime(tmp_path / "f.bin.part", (0, 0))
    server.steps["/f.bin"] = [answer()]
    with pytest.warns(UserWarning, match="416"):
        path = cache(tmp_path, n_retries=1).get(remote(server))
    assert path.read_bytes() == CONTENT


def test_a_wrong_range_is_no_answer(server, tmp_path):
    def step(handler):
        handler.send_response(206)
        handler.send_header("Content-Range", "bytes 0-9/10")
        handler.send_header("Content-Length", "10")
        handler.end_headers()
        handler.wfile.write(b"0123456789")

    server.steps["/f.bin"] = [answer(upto=HALF), step, answer()]
    with pytest.warns(UserWarning, match="again") as warned:
        path = cache(tmp_path, n_retries=2).get(remote(server))
    assert path.read_bytes() == CONTENT
    assert f"asked for bytes from {HALF}" in str(warned[1].message)


@pytest.mark.parametrize("length", [True, False])
def test_a_wrong_checksum_leaves_nothing(server, tmp_path, length):
    server.steps["/f.bin"] = [answer(CONTENT + b"x", length=length)]
    wrong = hashlib.sha256(CONTENT + b"x").hexdigest()
    for _ in range(2):
        with pytest.raises(OSError, match=f"SHA256 is {wrong}, not {SHA256}") as info:
            cache(tmp_path, n_retries=3).get(remote(server))
        assert str(tmp_path / "f.bin") in str(info.value)
        assert names(tmp_path) == []
    assert len(server.requests) == 2


def test_the_first_download_is_trusted_and_kept_to(server, tmp_path):
    server.steps["/f.bin"] = [answer()]
    path = cache(tmp_path).get(remote(server, None))
    path.unlink()
    server.steps["/f.bin"] = [answer(b"other")]
    with pytest.raises(OSError, match=r"that of the first download; delete .*sha256"):
        cache(tmp_path).get(remote(server, None))
    assert names(tmp_path) == ["f.bin.sha256"]
    (tmp_path / "f.bin.sha256").unlink()
    assert cache(tmp_path).get(remote(server, None)).read_bytes() == b"other"


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_file_that_changes_later_never_loads(server, tmp_path, sha256):
    server.steps["/f.bin"] = [answer()]
    path = cache(tmp_path).get(remote(server, sha256))
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(OSError, match=r"changed since it was fetched \(to keep"):
        cache(tmp_path, download_if_missing=False).get(remote(server, sha256))
    server.steps["/f.bin"] = [status(503)]
    for _ in range(2):
        with (
            pytest.warns(UserWarning, match="has changed since it was fetched"),
            pytest.raises(OSError, match="503"),
        ):
            cache(tmp_path).get(remote(server, sha256))
    server.steps["/f.bin"] = [answer()]
    with pytest.warns(UserWarning, match="has changed since it was fetched"):
        assert cache(tmp_path).get(remote(server, sha256)).read_bytes() == CONTENT


def test_a_new_checksum_fetches_a_new_version(server, tmp_path):
    server.steps["/f.bin"] = [answer(b"old")]
    cache(tmp_path).get(remote(server, hashlib.sha256(b"old").hexdigest()))
    server.steps["/f.bin"] = [answer()]
    with pytest.warns(UserWarning, match="has changed"):
        assert cache(tmp_path).get(remote(server)).read_bytes() == CONTENT


@pytest.mark.parametrize("code", [404, 403, 410])
def test_a_missing_file_is_not_asked_for_again(server, tmp_path, code):
    server.steps["/f.bin"] = [status(code)]
    with pytest.raises(OSError, match=rf"{server.url()}.*{code}"):
        cache(tmp_path, n_retries=3).get(remote(server))
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [500, 503, 429])
def test_a_passing_error_is_waited_for(server, tmp_path, code, monkeypatch):
    waits = []
    monkeypatch.setattr(_remote.time, "sleep", waits.append)
    server.steps["/f.bin"] = [status(code), status(code), answer()]
    with pytest.warns(UserWarning, match=str(code)):
        path = Cache(tmp_path, True, 2, 7.5, False).get(remote(server))
    assert path.read_bytes() == CONTENT
    assert waits == [7.5, 7.5]


def test_retries_end(server, tmp_path):
    server.steps["/f.bin"] = [status(500)]
    with pytest.warns(UserWarning, match="again"), pytest.raises(OSError, match="500"):
        cache(tmp_path, n_retries=2).get(remote(server))
    assert len(server.requests) == 3


def test_a_server_that_is_not_there(server, tmp_path):
    url = "http://127.0.0.1:9/f.bin"
    with pytest.warns(UserWarning, match="again"), pytest.raises(OSError, match=":9"):
        cache(tmp_path, n_retries=1).get(RemoteFile("f.bin", (url,)))


@pytest.mark.parametrize("first", [status(404), status(500), answer(b"wrong")])
def test_mirrors_follow(server, tmp_path, first):
    server.steps |= {"/f.bin": [first], "/mirror": [answer()]}
    file = remote(server, SHA256, server.url("/mirror"))
    assert cache(tmp_path).get(file).read_bytes() == CONTENT
    assert [path for path, _ in server.requests] == ["/f.bin", "/mirror"]


def test_a_mirror_goes_on_where_the_first_ended(server, tmp_path):
    server.steps |= {"/f.bin": [answer(upto=HALF)], "/mirror": [answer()]}
    file = remote(server, SHA256, server.url("/mirror"))
    assert cache(tmp_path).get(file).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_redirected(server, tmp_path, code):
    server.steps |= {
        "/f.bin": [status(code, Location="/there")],
        "/there": [answer(upto=HALF), answer()],
    }
    with pytest.warns(UserWarning, match="again"):
        path = cache(tmp_path, n_retries=1).get(remote(server))
    assert path.read_bytes() == CONTENT
    assert server.ranges == [None, None, f"bytes={HALF}-", f"bytes={HALF}-"]


def test_slow(server, tmp_path):
    server.steps["/f.bin"] = [answer(upto=1000, wait=lambda: time.sleep(0.3))]
    assert cache(tmp_path).get(remote(server)).read_bytes() == CONTENT


def test_a_server_that_falls_silent(server, tmp_path, monkeypatch):
    monkeypatch.setattr(_remote, "_TIMEOUT", 0.2)
    silence = threading.Event()
    server.steps["/f.bin"] = [answer(upto=1000, wait=silence.wait), answer()]
    with pytest.warns(UserWarning, match="timed out"):
        path = cache(tmp_path, n_retries=1).get(remote(server))
    silence.set()
    assert path.read_bytes() == CONTENT


BUFFER = BytesIO()
with zipfile.ZipFile(BUFFER, "w") as archive:
    archive.writestr("a.txt", "a" * 1000)


@pytest.mark.parametrize("coding", ["gzip", "x-gzip"])
@pytest.mark.parametrize("name", ["f.gz", "f.tar.gz"])
def test_a_file_that_is_compressed_stays_so(server, tmp_path, coding, name):
    content = gzip.compress(CONTENT)
    coding = {"Content-Encoding": coding}
    server.steps[f"/{name}"] = [
        answer(content, upto=HALF, **coding),
        answer(content, **coding),
    ]
    with pytest.warns(UserWarning, match="cut off|broken"):
        path = cache(tmp_path, n_retries=1).get(
            RemoteFile(name, (server.url(f"/{name}"),))
        )
    assert path.read_bytes() == content
    assert server.ranges == [None, f"bytes={HALF}-"]


def test_what_is_compressed_on_the_way_is_unpacked(server, tmp_path):
    content = gzip.compress(CONTENT)
    server.steps["/f.bin"] = [answer(content, **{"Content-Encoding": "gzip"})]
    assert cache(tmp_path).get(remote(server)).read_bytes() == CONTENT


PACKED = gzip.compress(CONTENT)
FLIPPED = bytearray(gzip.compress(bytes(1000), compresslevel=0))
FLIPPED[500] ^= 1


@pytest.mark.parametrize(
    "content",
    [b"[A] ||| b", PACKED[:-9], PACKED[:-8], FLIPPED, PACKED[:9]],
    ids=["plain", "cut", "no_checksum", "changed", "head"],
)
def test_half_a_gzip_file_is_refused(server, tmp_path, content):
    server.steps["/f.gz"] = [answer(bytes(content), length=False)]
    with pytest.raises(OSError, match="not a whole gzip"):
        cache(tmp_path).get(RemoteFile("f.gz", (server.url("/f.gz"),)))
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<!DOCTYPE html>...", "a web page"),
        (b"\n <HTML><body>", "a web page"),
        (BUFFER.getvalue()[:600], "not a whole zip"),
    ],
)
def test_what_cannot_be_the_file_is_refused(server, tmp_path, content, message):
    server.steps["/f.zip"] = [answer(content, length=False)]
    with pytest.raises(OSError, match=message):
        cache(tmp_path).get(RemoteFile("f.zip", (server.url("/f.zip"),)))
    assert names(tmp_path) == []


@pytest.mark.parametrize("seed", range(12))
def test_whatever_comes_only_the_right_file_stays(server, tmp_path, seed):
    rng = np.random.default_rng(seed)

    def step():
        upto = int(rng.integers(len(CONTENT))) if rng.random() < 0.7 else None
        changed = bytearray(CONTENT)
        if rng.random() < 0.3:
            changed[rng.integers(len(CONTENT))] ^= 1
        return answer(
            bytes(changed),
            upto=upto,
            modified=(MONDAY, TUESDAY, None)[rng.integers(3)],
            ranges=(True, False, "always")[rng.integers(3)],
            length=rng.random() < 0.5,
        )

    server.steps["/f.bin"] = [step() for _ in range(10)] + [answer()]
    for _ in range(12):
        with warnings.catch_warnings(), suppress(OSError):
            warnings.simplefilter("ignore")
            cache(tmp_path, n_retries=int(rng.integers(3))).get(remote(server))
        if (tmp_path / "f.bin").exists():
            assert (tmp_path / "f.bin").read_bytes() == CONTENT
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]


@pytest.mark.parametrize("progressbar", [True, False])
def test_progress_is_drawn_if_asked_for(server, tmp_path, capsys, progressbar):
    pytest.importorskip("tqdm")
    server.steps["/f.bin"] = [answer()]
    cache(tmp_path, progressbar=progressbar).get(remote(server))
    out, err = capsys.readouterr()
    assert out == ""
    assert ("100%" in err) if progressbar else err == ""


def test_threads_fetch_once(server, tmp_path):
    server.steps["/f.bin"] = [answer(upto=1000, wait=lambda: time.sleep(0.2))]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(cache(tmp_path).get, remote(server)) for _ in range(8)]
        assert {job.result().read_bytes() for job in jobs} == {CONTENT}
    assert len(server.requests) == 1
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]


FETCH = """
import sys
from pathlib import Path
from types import ModuleType

# Without the rest of the package, which takes its time to load.
folder, url, sha256, *paths = sys.argv[1:]
for name, path in zip(("skparaphrase", "skparaphrase.datasets"), paths):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [path]
from skparaphrase.datasets._remote import Cache, RemoteFile

Cache(Path(folder), True, 0, 0.0, False).get(RemoteFile("f.bin", (url,), sha256))
"""


def start(server, folder):
    package = Path(_remote.__file__).parents[1]
    command = [sys.executable, "-c", FETCH, str(folder), server.url(), SHA256]
    command += [str(package), str(package / "datasets")]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def test_processes_fetch_once(server, tmp_path):
    both = threading.Event()
    server.steps["/f.bin"] = [answer(upto=1000, wait=lambda: both.wait(0.5))]
    processes = [start(server, tmp_path) for _ in range(2)]
    for process in processes:
        assert process.communicate()[1] == b""
        assert process.returncode == 0
    assert (tmp_path / "f.bin").read_bytes() == CONTENT
    assert len(server.requests) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("kind", ["SIGINT", "SIGKILL"])
def test_an_end_in_the_middle(server, tmp_path, kind):
    half, over = threading.Event(), threading.Event()

    def wait():
        half.set()
        over.wait()

    server.steps["/f.bin"] = [answer(upto=200_000, wait=wait), answer()]
    process = start(server, tmp_path)
    half.wait()
    part = tmp_path / "f.bin.part"
    while not part.exists() or not part.stat().st_size:
        time.sleep(0.01)
    process.send_signal(getattr(signal, kind))
    process.communicate()
    over.set()
    left = ["f.bin.part"] if kind == "SIGINT" else ["f.bin.lock", "f.bin.part"]
    assert names(tmp_path) == left
    size = part.stat().st_size
    assert part.read_bytes() == CONTENT[:size]
    assert cache(tmp_path).get(remote(server)).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={size}-"]
    continued = server.requests[1][1].get("If-Range") == MONDAY
    assert continued == (kind == "SIGINT")
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]
