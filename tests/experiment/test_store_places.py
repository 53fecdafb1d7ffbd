"""Where a store is: any name of a file is that file, and a URL is shown without its passwords."""

import logging
import os
from pathlib import Path

import pytest
from sklearn.naive_bayes import GaussianNB  # type: ignore[import-untyped]

import palio
from palio.app.cli import main
from palio.errors import InputError, PalioError, ParameterError, UnreadableError
from palio.experiment.store.reading import read_store
from palio.experiment.store.store import Store
from palio.words import is_server, masked
from tests.experiment.by_hand import folds_in
from tests.experiment.test_store import outcome

# Names of files

NAMES = [
    "a?b.db", "a%41.db", "aA.db", "a#b.db", "two words.db", "ä – 数.db", "file:x.db",
    "a?mode=memory&uri=true.db", "100%.db", "a;b'c\"d.db", "postgresql.db", ":memory:.db",
]  # fmt: skip


def test_every_name_is_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(NAMES):
        assert not Path(name).exists()
        with Store(name) as store, store.writing():
            store.save([outcome(number, 0.5)])
    with_locks = {*NAMES, *(f"{name}.lock" for name in NAMES)}
    assert {path.name for path in tmp_path.iterdir()} == with_locks
    for number, name in enumerate(NAMES):
        with Store(tmp_path / name, create=False) as store:
            assert list(store.marks()) == [outcome(number).key]


@pytest.mark.parametrize("name", ["a?b.db", "a%41.db", "a#b c.db"])
def test_a_file_that_may_only_be_read_has_any_name_too(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store(tmp_path / name) as store:
        store.save([outcome(1, 0.5)])
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Store(tmp_path / name, create=False) as store:
        assert len(store.marks()) == 1
        with pytest.raises(UnreadableError, match="readonly database; what was stored before is"):
            store.save([outcome(2, 0.5)])


@pytest.mark.posix("links need rights")
def test_two_names_of_one_file_have_one_lock(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "e.db")
    (tmp_path / "sub").mkdir()
    with Store(tmp_path / "e.db") as first, first.writing():
        for other in (tmp_path / "link.db", tmp_path / "sub" / ".." / "e.db"):
            with (
                Store(other) as second,
                pytest.raises(InputError, match="another run is writing"),
                second.writing(),
            ):
                pass


@pytest.mark.parametrize("name", ["a\0b.db", "x" * 300 + ".db"])
def test_what_no_file_can_be_called(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match=r"^store: .*(is no name of a file|cannot be used)"):
        Store(tmp_path / name)


# Passwords

# Every one has s3cr3t where no one is to see it.
URLS = [
    "postgresql://me:s3cr3t@host:5432/db",
    "postgres://me:s3cr3t@host/db",
    "POSTGRESQL://me:s3cr3t@host/db",
    "PostgreSQL+psycopg://me:s3cr3t@host/db",
    "postgresql://:s3cr3t@host/db",
    "postgresql://me@corp:s3cr3t@host/db",
    "postgresql://me:s3cr3t@more@host/db",
    "postgresql://me:more/s3cr3t@host/db",
    "postgresql://me:more s3cr3t@host/db",
    "postgresql://me:a:s3cr3t@host/db",
    "postgresql://me:s3cr3t@/db?host=/tmp",
    "postgresql://host/db?user=me&password=s3cr3t",
    "postgresql://host/db?sslpassword=s3cr3t&sslmode=require",
    "postgresql://host/db?PASSWORD=s3cr3t",
    "postgresql://host/db?pass%77ord=s3cr3t",
    "postgresql://host/db?oauth_client_secret=s3cr3t",
    "postgresql://host/db?scram_client_key=s3cr3t",
    "mysql+pymysql://me:s3cr3t@host/db",
    "tls://me:s3cr3t@host:8786",
    "host=host user=me password='s3cr3t more'",
]


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("around", ["{}", "'{}' cannot be used: {} is not there."])
def test_no_password_is_shown(url: str, around: str) -> None:
    if around != "{}" and " s3cr3t@" in url:
        pytest.skip("in a sentence nobody knows where a URL with a space begins")
    text = masked(around.replace("{}", url))
    assert "s3cr3t" not in text
    assert "***" in text
    assert masked(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://me@host:5432/db?sslmode=require",
        "max_tokens=512 and C=1",
        "/home/me/a:b@c.db",
        "https://host:8080/results.csv",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("url", [url for url in URLS if "://" in url])
def test_no_error_shows_a_password(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    near = url.replace("host", "127.0.0.1").replace(":5432", "")
    near += ("&" if "?" in near else "?") + "port=1&connect_timeout=1"
    Path("e.toml").write_text(
        'datasets = ["monks-1"]\nalgorithms = ["nn"]\nresampling = "half"\nengine = "inline"\n'
        f"store = '{near}'\n",
        encoding="utf-8",
    )
    commands = [["status", near], ["order", near], ["export", near, "x.csv"]]
    if is_server(url):
        commands += [["plan", "e.toml"], ["run", "e.toml"], ["serve", near, "--such"]]
    for command in commands:
        assert main(command) == 2
        said = capsys.readouterr()
        assert "s3cr3t" not in said.err + said.out
        assert said.err.splitlines()[-1].startswith("error: ")
    with pytest.raises(PalioError) as caught:
        read_store(near)
    assert "s3cr3t" not in str(caught.value)


def test_what_a_server_says_of_a_password_is_masked(postgres: str) -> None:
    """As its words for a password that does not fit may have it in them."""
    from palio.experiment.store.database import clear_errors

    place = postgres.replace("postgres@", "postgres:s3cr3t@")
    with (
        Store(place) as store,
        pytest.raises(UnreadableError, match=r'"\*\*\*" does not exist') as caught,
        clear_errors(place),
        store._engine.connect() as connection,
    ):
        connection.exec_driver_sql('SELECT * FROM "s3cr3t"')
    assert "s3cr3t" not in str(caught.value)


def test_no_result_or_row_has_a_password(
    postgres: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """All that is shown, logged, written to files and kept on the server."""
    caplog.set_level(logging.DEBUG)
    url = postgres.replace("postgresql://postgres@", "postgres://postgres:s3cr3t@")
    url += "&sslpassword=s3cr3t2"
    file = tmp_path / "e.toml"
    file.write_text(
        'datasets = ["sklearn:iris", "sklearn:wine"]\nalgorithms = ["nn", "c45"]\n'
        f'resampling = "2-fold"\nengine = "inline"\nstore = "{url}"\n',
        encoding="utf-8",
    )
    page, table = tmp_path / "report.html", tmp_path / "t.csv"
    for command in (
        ["run", str(file)], ["run", str(file), "--json"], ["status", url, "--check"],
        ["status", url, "--json"], ["plan", str(file), "--json"], ["retry", url],
        [url], ["order", url, "--json"], ["read", url, "--json"], ["export", url, str(table)],
        ["report", url, "-o", str(page)], ["order", url, "--dataset", "iirs"],
    ):  # fmt: skip
        assert main(command) == (2 if "iirs" in command else 0)
    said = capsys.readouterr()
    with Store(url) as store:
        kept = repr([store.recall("file of e"), store.jobs(), folds_in(store), store])
    files = page.read_text(encoding="utf-8") + table.read_text(encoding="utf-8")
    for text in (said.out, said.err, caplog.text, kept, files):
        assert "s3cr3t" not in text
    assert "postgres:***@" in said.out
    with pytest.raises(ParameterError) as caught:
        palio.run(["monks-1"], {"nb": GaussianNB()}, store=url, engine="inline", exclusive=True)
    assert "s3cr3t" not in str(caught.value)
