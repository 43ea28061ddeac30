"""The data home, and what `fetch_*` functions ask of public servers."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import errno
import gzip
import inspect
import sys
import tarfile
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from io import BytesIO

import pytest

from skparaphrase import datasets
from skparaphrase._locks import locked
from skparaphrase.datasets import (
    clear_data_home,
    fetch_glove,
    fetch_msrp,
    fetch_paragram,
    fetch_ppdb,
    fetch_sick,
    fetch_sts,
    fetch_stsb,
    fetch_trecqa,
    fetch_wikiqa,
    get_data_home,
)
from skparaphrase.datasets._home import FOLDERS

FETCH = [getattr(datasets, name) for name in datasets.__all__ if name[:6] == "fetch_"]
WIKI = "https://ixa2.si.ehu.eus/stswiki/images"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def public(tmp_path, monkeypatch):
    """A folder that stands for all servers, and the list of addresses asked for."""
    requests = pytest.importorskip("requests")
    pytest.importorskip("pooch")
    folder = tmp_path / "public"
    folder.mkdir()

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(folder))

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    asked, get = [], requests.get

    def redirected(url, **kwargs):
        asked.append(url)
        name = url.partition("?")[0].rpartition("/")[2]
        return get(f"http://127.0.0.1:{server.server_port}/{name}", **kwargs)

    monkeypatch.setattr(requests, "get", redirected)
    yield folder, asked
    server.shutdown()
    thread.join()
    server.server_close()


def zip_of(members):
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_of(name, content):
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(info, BytesIO(content))
    return buffer.getvalue()


def sts_of(*names):
    members = {}
    for name in names:
        members |= {f"t/STS.input.{name}.txt": "a\tb\n", f"t/STS.gs.{name}.txt": "2\n"}
    return zip_of(members)


TRUSTED = [
    (
        lambda **kwargs: fetch_sts(2013, **kwargs),
        f"{WIKI}/2/2f/STS2013-en-test.zip",
        sts_of("FNWN", "headlines", "OnWN"),
    ),
    (
        lambda **kwargs: fetch_stsb("dev", **kwargs),
        f"{WIKI}/4/48/Stsbenchmark.tar.gz",
        tar_of("stsbenchmark/sts-dev.csv", b"g\td\t2012\t1\t2.0\ta\tb\n"),
    ),
    (
        lambda **kwargs: fetch_sick("dev", version="semeval", **kwargs),
        "http://alt.qcri.org/semeval2014/task1/data/uploads/sick_trial.zip",
        zip_of(
            {
                "SICK_trial.txt": "pair_ID\tsentence_A\tsentence_B\trelatedness_score\t"
                "entailment_judgment\n4\ta\tb\t2\tNEUTRAL\n"
            }
        ),
    ),
    (
        lambda **kwargs: fetch_ppdb("xxxl", "phrasal", **kwargs),
        "http://nlpgrid.seas.upenn.edu/PPDB/eng/ppdb-2.0-xxxl-phrasal.gz",
        gzip.compress(b"[NN] ||| a ||| b ||| PPDB2.0Score=2 ||| 0-0 ||| Equivalence\n"),
    ),
    (
        lambda **kwargs: fetch_ppdb("xl", version="1.0", **kwargs),
        "http://www.cis.upenn.edu/~ccb/ppdb/release-1.0/ppdb-1.0-xl-lexical.gz",
        gzip.compress(b"[NN] ||| a ||| b ||| x=2 ||| 0-0\n"),
    ),
    (
        lambda **kwargs: fetch_trecqa("test", **kwargs),
        "https://raw.githubusercontent.com/aseveryn/deep-qa/"
        "249a1ec14ef980a5630b1a2dccf5f587245e16e1/jacana-qa-naacl2013-data-results/"
        "test.xml",
        b"<QApairs id='1'>\n<question>\na\n</question>\n<positive>\nb\n</positive>\n"
        b"</QApairs>\n",
    ),
]


@pytest.mark.parametrize(
    ("fetch", "url", "content"), TRUSTED, ids=[url for _, url, _ in TRUSTED]
)
def test_fetched_and_read(public, tmp_path, fetch, url, content):
    folder, asked = public
    (folder / url.rpartition("/")[2]).write_bytes(content)
    home = tmp_path / "home"
    for _ in range(2):
        assert set(map(tuple, fetch(data_home=home).data)) == {("a", "b")}
        assert asked == [url]
    (home,) = home.iterdir()
    assert home.name in FOLDERS
    assert names(home) == [url.rpartition("/")[2], f"{url.rpartition('/')[2]}.sha256"]


CHECKED = [
    (fetch_sick, "https://zenodo.org/record/2787612/files/SICK.zip?download=1"),
    (
        lambda **kwargs: fetch_msrp("test", accept_licence=True, **kwargs),
        "https://dl.fbaipublicfiles.com/senteval/senteval_data/msr_paraphrase_test.txt",
    ),
    (
        fetch_wikiqa,
        "https://download.microsoft.com/download/E/5/F/"
        "E5FCFCEE-7005-4814-853D-DAA7C66507E0/WikiQACorpus.zip",
    ),
    (fetch_glove, "https://nlp.stanford.edu/data/glove.6B.zip"),
    (
        lambda **kwargs: fetch_glove("840B.300d", **kwargs),
        "https://nlp.stanford.edu/data/glove.840B.300d.zip",
    ),
    (
        lambda **kwargs: fetch_glove("twitter.27B.25d", **kwargs),
        "https://nlp.stanford.edu/data/glove.twitter.27B.zip",
    ),
]


@pytest.mark.parametrize(("fetch", "url"), CHECKED)
def test_what_is_not_the_public_file_is_refused(public, tmp_path, fetch, url):
    folder, asked = public
    name = url.partition("?")[0].rpartition("/")[2]
    (folder / name).write_bytes(zip_of({"a": "b"}))
    home = tmp_path / "home"
    with pytest.raises(OSError, match=r"SHA256 is [0-9a-f]{64}, not [0-9a-f]{64}"):
        fetch(data_home=home)
    assert asked == [url]
    (home,) = home.iterdir()
    assert names(home) == []


def test_paragram_is_unpacked(public, tmp_path):
    folder, asked = public
    content = zip_of({"paragram-phrase-XXL.txt": "the 1 2\n"})
    (folder / "paragram-phrase-XXL.zip").write_bytes(content)
    assert fetch_paragram(data_home=tmp_path / "home").dim == 2
    assert asked == ["http://ttic.uchicago.edu/~wieting/paragram-phrase-XXL.zip"]


def test_mirrors_and_the_place_of_warnings(public, tmp_path):
    _, asked = public
    with pytest.raises(OSError, match=r"404.*404.*if you put it at .*STS2014"):
        fetch_sts(2014, data_home=tmp_path, delay=0)
    url = f"{WIKI}/8/8c/STS2014-en-test.zip"
    assert asked == [url, url.replace("https", "http")]


def test_download_if_missing(public, tmp_path):
    _, asked = public
    with pytest.raises(OSError, match="is missing and download_if_missing=False") as i:
        fetch_sts(2012, data_home=tmp_path, download_if_missing=False)
    path = tmp_path / "sts" / "STS2012-en-test.zip"
    assert f"{WIKI}/4/40/STS2012-en-test.zip" in str(i.value)
    assert str(path) in str(i.value)
    assert not asked
    names = ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews")
    path.write_bytes(sts_of(*names))
    assert len(fetch_sts(2012, data_home=tmp_path, download_if_missing=False).data) == 5


def test_a_full_disk_is_not_the_servers_fault(tmp_path, monkeypatch):
    pytest.importorskip("pooch")

    class Full:
        def __init__(self, **_):
            pass

        def __call__(self, url, file, pooch):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pooch.HTTPDownloader", Full)
    with pytest.raises(OSError, match="No space left") as info:
        fetch_sts(2012, data_home=tmp_path)
    assert info.value.errno == errno.ENOSPC


@pytest.mark.parametrize("package", ["pooch", "tqdm"])
def test_missing_packages(tmp_path, monkeypatch, package):
    pytest.importorskip("pooch")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}.*skparaphrase\[data\]"):
        fetch_trecqa(data_home=tmp_path, progressbar=True)
    (tmp_path / "trecqa" / "train.xml").write_bytes(b"")
    assert fetch_trecqa(data_home=tmp_path, progressbar=True).data.shape == (0, 2)


def test_the_signature_is_that_of_scikit_learn():
    for fetch in FETCH:
        parameters = inspect.signature(fetch).parameters
        defaults = {
            "data_home": None,
            "download_if_missing": True,
            "n_retries": 3,
            "delay": 1.0,
            "progressbar": False,
        }
        if fetch not in (fetch_glove, fetch_paragram):
            defaults |= {"return_X_y": False, "as_frame": False}
        for name, default in defaults.items():
            assert parameters[name].default == default
            assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def test_every_description_names_licence_and_citation():
    descriptions = list((files(datasets) / "descr").iterdir())
    assert {path.name.removesuffix(".rst") for path in descriptions} == (
        set(FOLDERS) - {"glove", "paragram"}
    )
    for path in descriptions:
        text = path.read_text(encoding="utf-8")
        for part in ("\nSource: ", "\nLicence", "\nCitation\n--------\n"):
            assert part in text, path


@pytest.mark.parametrize(
    "wrong", [{"n_retries": -1}, {"n_retries": 1.5}, {"delay": -1}, {"delay": "1"}]
)
def test_wrong_parameters(tmp_path, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        fetch_stsb(data_home=tmp_path, **wrong)


def test_data_home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("SKPARAPHRASE_HOME", raising=False)
    assert get_data_home() == str(tmp_path / "skparaphrase_data")
    assert get_data_home("~/a/b") == str(tmp_path / "a" / "b")
    monkeypatch.setenv("SKPARAPHRASE_HOME", str(tmp_path / "c"))
    assert get_data_home() == str(tmp_path / "c")
    assert get_data_home(tmp_path / "d") == str(tmp_path / "d")
    assert names(tmp_path) == ["a", "c", "d", "skparaphrase_data"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_clearing_spares_what_links_lead_to(tmp_path):
    large, home = tmp_path / "large", tmp_path / "home"
    (large / "glove").mkdir(parents=True)
    (large / "glove" / "x.zip").write_text("x")
    home.mkdir()
    (home / "glove").symlink_to(large / "glove")
    (tmp_path / "link").symlink_to(home)
    clear_data_home(tmp_path / "link")
    assert names(home) == []
    assert names(tmp_path) == ["home", "large", "link"]
    assert names(large / "glove") == ["x.zip"]


def test_clearing_spares_what_is_not_ours(tmp_path):
    home = tmp_path / "home"
    with pytest.raises(OSError, match="download_if_missing"):
        fetch_stsb(data_home=home, download_if_missing=False)
    (home / "stsb" / "x").write_text("x")
    (home / "thesis.txt").write_text("mine")
    clear_data_home(home)
    assert names(home) == ["thesis.txt"]
    (home / "thesis.txt").unlink()
    clear_data_home(home)
    assert not home.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="locks of another kind")
def test_a_file_system_without_locks_is_told(tmp_path, monkeypatch):
    def no_locks(*args):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr("fcntl.flock", no_locks)
    match = r"not implemented.*SKPARAPHRASE_HOME"
    with pytest.raises(OSError, match=match), locked(tmp_path / "lock"):
        pass
