"""Downloads from a local server that behaves like public ones."""

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
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from skparaphrase.datasets._cache import Cache

pytest.importorskip("pooch")
from skparaphrase.datasets import _download

MONDAY = "Mon, 03 Mar 2014 10:00:00 GMT"
TUESDAY = "Tue, 04 Mar 2014 10:00:00 GMT"
CONTENT = np.random.default_rng(0).bytes(300_000)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
CHUNK = _download._CHUNK
HALF = 9 * CHUNK
NEXT = HALF + CHUNK


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


def fetch(
    server, folder, sha256=SHA256, *mirrors, name="f.bin", delay=0.0, n_retries=0, **x
):
    cache = Cache(folder.name, folder.parent, delay=delay, n_retries=n_retries, **x)
    return cache.fetch(folder / name, [server.url(f"/{name}"), *mirrors], sha256)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_fetched_once(server, tmp_path, capsys, sha256):
    pytest.importorskip("tqdm")
    server.steps["/f.bin"] = [answer()]
    for _ in range(3):
        path = fetch(server, tmp_path, sha256, progressbar=sha256 is None)
        assert path.read_bytes() == CONTENT
    out, err = capsys.readouterr()
    assert out == ""
    assert ("100%" in err) == (sha256 is None)
    assert len(server.requests) == 1
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]
    assert (tmp_path / "f.bin.sha256").read_text() == f"{SHA256}  f.bin\n"
    assert abs(time.time() - path.stat().st_mtime) < 3600


def test_what_was_cut_off_is_continued_by_the_next_call(server, tmp_path):
    server.steps["/f.bin"] = [answer(upto=HALF), answer()]
    with pytest.raises(OSError, match="could not be downloaded"):
        fetch(server, tmp_path)
    assert names(tmp_path) == ["f.bin.part"]
    assert (tmp_path / "f.bin.part").read_bytes() == CONTENT[:HALF]
    assert fetch(server, tmp_path).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={HALF}-"]
    assert server.requests[1][1]["If-Range"] == MONDAY


FIRST = answer(upto=HALF)
OLD = answer(CONTENT[::-1], modified=TUESDAY, upto=HALF)
UNDATED = [answer(upto=HALF, modified=None), answer(modified=None)]
MOVED = status(302, Location="/f.bin")
UNWILLING = answer(upto=CHUNK, modified=None, ranges="always")
WRONG_RANGE = status(206, **{"Content-Range": "bytes 0-9/10"})
REST = f"bytes={HALF}-"


@pytest.mark.parametrize(
    ("sha256", "steps", "ranges"),
    [
        (SHA256, [FIRST, answer()], [None, REST]),
        (None, [FIRST, answer()], [None, REST]),
        (None, [FIRST, answer(upto=CHUNK), answer()], [None, REST, f"bytes={NEXT}-"]),
        (None, [FIRST, status(503), answer()], [None, REST, REST]),
        (None, [FIRST, UNWILLING, answer()], [None, REST, f"bytes={NEXT}-"]),
        (SHA256, [FIRST, answer(ranges=False)], [None, REST]),
        (SHA256, UNDATED, [None, REST]),
        (None, UNDATED, [None, None]),
        (SHA256, [FIRST, WRONG_RANGE, answer()], [None, REST, REST]),
        (SHA256, [OLD, answer()], [None, REST]),
        (None, [OLD, answer()], [None, REST]),
        (SHA256, [OLD, answer(ranges="always"), answer()], [None, REST, None]),
        (None, [MOVED, FIRST, MOVED, answer()], [None, None, REST, REST]),
    ],
)
def test_resumed(server, tmp_path, sha256, steps, ranges):
    server.steps["/f.bin"] = list(steps)
    n_retries = len(steps) - 1
    with pytest.warns(UserWarning, match=r"Retrying .*/f.bin"):
        path = fetch(server, tmp_path, sha256, n_retries=n_retries)
    assert path.read_bytes() == CONTENT
    assert server.ranges == ranges
    for _, headers in server.requests:
        dated = "Range" in headers and steps is not UNDATED
        assert headers.get("If-Range") == (
            None if not dated else TUESDAY if steps[0] is OLD else MONDAY
        )
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]


@pytest.mark.parametrize("code", [500, 503, 429])
def test_temporary_errors_are_retried(server, tmp_path, code, monkeypatch):
    waits = []
    monkeypatch.setattr(_download.time, "sleep", waits.append)
    server.steps["/f.bin"] = [status(code), status(code), answer()]
    with pytest.warns(match=str(code)), pytest.raises(OSError, match=str(code)):
        fetch(server, tmp_path, n_retries=1, delay=7.5)
    assert waits == [7.5]
    assert fetch(server, tmp_path).read_bytes() == CONTENT


@pytest.mark.parametrize("extra", [b"", b"more"])
def test_a_part_as_long_as_the_file_is_fetched_again(server, tmp_path, extra):
    (tmp_path / "f.bin.part").write_bytes(CONTENT + extra)
    os.utime(tmp_path / "f.bin.part", (0, 0))
    server.steps["/f.bin"] = [answer()]
    with pytest.warns(UserWarning, match="416"):
        path = fetch(server, tmp_path, n_retries=1)
    assert path.read_bytes() == CONTENT


@pytest.mark.parametrize("length", [True, False])
def test_a_wrong_checksum_leaves_nothing(server, tmp_path, length):
    server.steps["/f.bin"] = [answer(CONTENT + b"x", length=length)]
    wrong = hashlib.sha256(CONTENT + b"x").hexdigest()
    for _ in range(2):
        with pytest.raises(OSError, match=f"{SHA256} but got {wrong}") as info:
            fetch(server, tmp_path, n_retries=3)
        assert str(tmp_path / "f.bin") in str(info.value)
        assert names(tmp_path) == []
    assert len(server.requests) == 2


def test_the_first_download_is_trusted_and_kept_to(server, tmp_path):
    server.steps["/f.bin"] = [answer()]
    path = fetch(server, tmp_path, None)
    path.unlink()
    server.steps["/f.bin"] = [answer(b"other")]
    with pytest.raises(OSError, match=r"To accept another version, delete .*sha256"):
        fetch(server, tmp_path, None)
    assert names(tmp_path) == ["f.bin.sha256"]
    (tmp_path / "f.bin.sha256").unlink()
    assert fetch(server, tmp_path, None).read_bytes() == b"other"


@pytest.mark.parametrize("sha256", [SHA256, None])
def test_a_file_that_changes_later_never_loads(server, tmp_path, sha256):
    server.steps["/f.bin"] = [answer()]
    path = fetch(server, tmp_path, sha256)
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(OSError, match=r"changed since its download \(delete"):
        fetch(server, tmp_path, sha256, download_if_missing=False)
    server.steps["/f.bin"] = [status(503)]
    for _ in range(2):
        with (
            pytest.warns(UserWarning, match="has changed since its download"),
            pytest.raises(OSError, match="503"),
        ):
            fetch(server, tmp_path, sha256)
    server.steps["/f.bin"] = [answer()]
    with pytest.warns(UserWarning, match="has changed since its download"):
        assert fetch(server, tmp_path, sha256).read_bytes() == CONTENT


@pytest.mark.parametrize("code", [404, 403, 410])
def test_a_missing_file_is_not_asked_for_again(server, tmp_path, code):
    server.steps["/f.bin"] = [status(code)]
    with pytest.raises(OSError, match=rf"{server.url()}.*{code}"):
        fetch(server, tmp_path, n_retries=3)
    assert len(server.requests) == 1


@pytest.mark.parametrize("first", [status(404), status(500), answer(b"w"), FIRST])
def test_mirrors_follow(server, tmp_path, first):
    server.steps |= {"/f.bin": [first], "/mirror": [answer()]}
    path = fetch(server, tmp_path, SHA256, server.url("/mirror"))
    assert path.read_bytes() == CONTENT
    assert [path for path, _ in server.requests] == ["/f.bin", "/mirror"]
    assert server.ranges == [None, REST if first is FIRST else None]


def test_a_server_that_falls_silent(server, tmp_path, monkeypatch):
    monkeypatch.setattr(_download, "_TIMEOUT", 0.2)
    silence = threading.Event()
    server.steps["/f.bin"] = [answer(upto=1000, wait=silence.wait), answer()]
    with pytest.warns(UserWarning, match="timed out"):
        path = fetch(server, tmp_path, n_retries=1)
    silence.set()
    assert path.read_bytes() == CONTENT


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
        path = fetch(server, tmp_path, None, name=name, n_retries=1)
    assert path.read_bytes() == content
    assert server.ranges == [None, f"bytes={HALF}-"]


def test_what_is_compressed_on_the_way_is_unpacked(server, tmp_path):
    content = gzip.compress(CONTENT)
    server.steps["/f.bin"] = [answer(content, **{"Content-Encoding": "gzip"})]
    assert fetch(server, tmp_path).read_bytes() == CONTENT


PACKED = gzip.compress(CONTENT, mtime=0)
FLIPPED = bytearray(gzip.compress(bytes(1000), compresslevel=0, mtime=0))
FLIPPED[500] ^= 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(
            ("f.gz", content, "not a complete gzip")
            for content in (b"[A] ||| b", PACKED[:-9], PACKED[:-8], FLIPPED, PACKED[:9])
        ),
        ("f.zip", b"<!DOCTYPE html>...", "a web page"),
        ("f.bin", b"\n <HTML><body>", "a web page"),
        ("f.zip", b"PK\3\4 and more", "not a complete zip"),
    ],
)
def test_what_cannot_be_the_file_is_refused(server, tmp_path, name, content, message):
    server.steps[f"/{name}"] = [answer(bytes(content), length=False)]
    with pytest.raises(OSError, match=message):
        fetch(server, tmp_path, None, name=name)
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
            fetch(server, tmp_path, n_retries=int(rng.integers(3)))
        if (tmp_path / "f.bin").exists():
            assert (tmp_path / "f.bin").read_bytes() == CONTENT
    assert names(tmp_path) == ["f.bin", "f.bin.sha256"]


SCRIPT = """
import sys
from pathlib import Path
from skparaphrase.datasets._cache import Cache

folder, url, sha256 = sys.argv[1:]
path = Path(folder, "f.bin")
Cache(path.parent.name, path.parent.parent, n_retries=0).fetch(path, [url], sha256)
"""


def start(server, folder):
    command = [sys.executable, "-c", SCRIPT, str(folder), server.url(), SHA256]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def test_processes_fetch_once(server, tmp_path):
    both = threading.Event()
    server.steps["/f.bin"] = [answer(upto=1000, wait=lambda: both.wait(0.5))]
    processes = [start(server, tmp_path) for _ in range(2)]
    for process in processes:
        process.communicate()
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
    # A killed process also leaves an empty temporary file of pooch.
    left = [name for name in names(tmp_path) if name.startswith("f.bin")]
    assert left == ["f.bin.lock"] * (kind == "SIGKILL") + ["f.bin.part"]
    size = part.stat().st_size
    assert part.read_bytes() == CONTENT[:size]
    assert fetch(server, tmp_path).read_bytes() == CONTENT
    assert server.ranges == [None, f"bytes={size}-"]
    continued = server.requests[1][1].get("If-Range") == MONDAY
    assert continued == (kind == "SIGINT")
    left = [name for name in names(tmp_path) if name.startswith("f.bin")]
    assert left == ["f.bin", "f.bin.sha256"]


@pytest.mark.parametrize("name", ["f.bin.part", "f.bin.sha256"])
def test_links_are_not_written_through(server, tmp_path, name):
    server.steps["/f.bin"] = [answer()]
    folder = tmp_path / "data"
    folder.mkdir()
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (folder / name).symlink_to(victim)
    assert fetch(server, folder, None).read_bytes() == CONTENT
    assert victim.read_bytes() == b"precious"


def unasked(handler):
    """A part of the file, which was not asked for."""
    handler.send_response(206)
    handler.send_header("Content-Range", f"bytes 0-99/{len(CONTENT)}")
    handler.send_header("Content-Length", "100")
    handler.end_headers()
    handler.wfile.write(CONTENT[:100])


@pytest.mark.parametrize(
    "step",
    [
        status(204),
        unasked,
        answer(length=False, **{"Content-Length": "\u00b2"}),
    ],
    ids=["204", "206", "length"],
)
def test_answers_that_are_not_the_file(server, tmp_path, step):
    server.steps["/f.bin"] = [step]
    folder = tmp_path / "data"
    folder.mkdir()
    with pytest.raises(OSError, match=r"f\.bin could not be downloaded"):
        fetch(server, folder, None)
    assert not (folder / "f.bin").exists()


def test_a_file_without_end(server, tmp_path, monkeypatch):
    monkeypatch.setattr(_download, "_MOST_BYTES", 100_000)
    server.steps["/f.bin"] = [answer(length=False)]
    folder = tmp_path / "data"
    folder.mkdir()
    with pytest.raises(OSError, match="more than 100,000 bytes"):
        fetch(server, folder, None)


def test_a_server_that_sends_a_byte_at_a_time(server, tmp_path, monkeypatch):
    monkeypatch.setattr(_download, "_MOST_SECONDS", 0.0)
    server.steps["/f.bin"] = [answer()]
    folder = tmp_path / "data"
    folder.mkdir()
    with pytest.raises(OSError, match="took more than"):
        fetch(server, folder, None)
