"""`allograph explore`: a page in a file, and a server that shows it to one user."""

import contextlib
import functools
import http.client
import random
import socket
import threading

import pytest
from click.testing import CliRunner
from hostile_changes import change

from allograph.tools.commands import allograph
from allograph.tools.explore_server import ExploreServer

SOURCE = "import allograph as ag\n\ndef double(x):\n    return ag.tanh(x) * 2.0\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def run(*words):
    return CliRunner().invoke(allograph, ["explore", *map(str, words)])


def test_a_page_is_written_to_a_file(file, tmp_path):
    pytest.importorskip("llvmlite")
    output = tmp_path / "page.html"
    done = run(f"{file}:double", "float32[5]", "--output", output)
    assert (done.exit_code, done.output) == (0, "")
    assert "tanh_f32" in output.read_text(encoding="utf-8")


def test_two_targets_stand_beside_each_other(file, tmp_path):
    output = tmp_path / "page.html"
    file.write_text(f"{SOURCE}\ndef treble(x):\n    return ag.tanh(x) * 3.0\n", encoding="utf-8")
    done = run(f"{file}:double", "float32[5]", "--beside", f"{file}:treble", "--output", output)
    assert (done.exit_code, done.output) == (0, "")
    assert "<title>double, treble - allograph explore</title>" in output.read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [["double"], ["missing.py:double"], ["no_such_module:double"]])
def test_a_target_that_does_not_exist_is_one_line(words):
    done = run(*words)
    assert done.exit_code == 2
    assert len(done.output.strip().splitlines()) == 1


class Served:
    """A server of pages that say how often they were made."""

    def __init__(self, folder):
        self.count = 0
        self.problem = ""
        self.server = ExploreServer(self.render, folder)
        serve = functools.partial(self.server.http.serve_forever, poll_interval=0.01)
        self.threads = [
            threading.Thread(target=work, daemon=True) for work in (serve, self.server.watch)
        ]
        for thread in self.threads:
            thread.start()

    def render(self):
        self.count += 1
        return ("", self.problem) if self.problem else (f"page {self.count}", "")

    def get(self, path, host=None):
        port = self.server.http.server_port
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
        answer = connection.getresponse()
        return answer.status, answer

    def page(self):
        status, answer = self.get(f"/{self.server.token}/")
        assert status == 200
        return answer.read().decode()

    def close(self):
        self.server.http.shutdown()
        self.server.close()


@pytest.fixture
def served(file):
    served = Served(file.parent)
    yield served
    served.close()


def test_the_page_is_served_at_the_address_with_the_token(served):
    assert served.page() == "page 1"
    assert served.server.address.startswith("http://127.0.0.1:")
    assert len(served.server.token) >= 20


def test_the_server_listens_on_this_machine_alone(served):
    assert served.server.http.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize(
    "path",
    ["/", "/page.html", "/{token}", "/wrong/", "/x/../{token}/", "/{token}/../"],
)
def test_a_request_without_the_token_in_its_place_is_refused(served, path):
    status, _ = served.get(path.format(token=served.server.token))
    assert status == 403


@pytest.mark.parametrize("path", ["/{token}/model.py", "/{token}/..", "/{token}/%2e%2e%2fmodel.py"])
def test_nothing_but_the_page_and_its_events_is_served(served, path):
    status, answer = served.get(path.format(token=served.server.token))
    assert status == 404
    assert b"tanh" not in answer.read()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1"])
def test_another_host_is_refused(served, host):
    status, _ = served.get(f"/{served.server.token}/", host)
    assert status == 403


def test_answers_are_kept_nowhere_and_shown_in_no_frame(served):
    _, answer = served.get(f"/{served.server.token}/")
    assert answer.getheader("Cache-Control") == "no-store"
    assert answer.getheader("X-Frame-Options") == "DENY"


def test_saving_a_file_makes_a_new_page_and_an_event(served, file):
    assert served.page() == "page 1"
    _, events = served.get(f"/{served.server.token}/events")
    file.write_text(SOURCE + "\n", encoding="utf-8")
    assert events.readline() == b"data: changed\n"
    assert served.page() == "page 2"


def test_what_goes_wrong_is_shown_escaped_until_the_file_is_mended(served, file):
    assert served.page() == "page 1"
    served.problem = "<script>alert(1)</script>"
    file.write_text("broken", encoding="utf-8")
    assert served.server.later_version(1, 10) == 2
    assert "&lt;script&gt;" in served.page()
    assert "<script" not in served.page()


def test_changed_requests_get_the_page_or_an_error_and_the_server_lives(served, capfd):
    page, server = served.page(), served.server
    host = f"127.0.0.1:{server.http.server_port}"
    good = f"GET /{server.token}/ HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\n\r\n".encode()
    for seed in range(60):
        request = change(good, random.Random(seed))[:100_000]
        with socket.create_connection(("127.0.0.1", server.http.server_port), 10) as connection:
            answer = b""
            with contextlib.suppress(OSError):  # it may stop to read, and close
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                while part := connection.recv(1 << 16):
                    answer += part
        knows = f"/{server.token}/".encode() in request and f"Host: {host}".encode() in request
        assert page.encode() not in answer or knows, request
    assert served.page() == page
    assert "Traceback" not in capfd.readouterr().err
