"""The page in a real browser: what a person sees and does."""

import os
import shutil
import threading

import pytest

import allograph as ag
from allograph.tools.explore_server import ExploreServer

pytest.importorskip("llvmlite")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine"),
]


def settle(x):
    while ag.reduce_max(x) > 3.0:
        x = ag.tanh(x) * 2.0
    return x


@pytest.fixture(scope="module")
def browser():
    # A sandbox of its own is refused to the administrator, whom containers run as.
    arguments = ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("explore") / "page.html"
    traced = ag.function(settle)
    for number in (ag.constant(1.0), ag.constant(1.0, ag.float64)):
        traced(number)
    ag.explore(traced, ag.fill([500], 9.0)).save(path)
    return path


@pytest.fixture
def page(browser, file):
    """The page of `settle`; whatever the console says is an error."""
    page = browser.new_page(viewport={"width": 1500, "height": 900})
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url) if "http" in request.url else None)
    page.goto(file.as_uri())
    yield page
    page.close()
    assert said == []


def lit(page, pane):
    return page.locator(f"#pane-{pane} .strong").all_text_contents()


def test_pointing_at_a_line_of_source_lights_up_all_panes(page):
    page.locator("#pane-source .line", has_text="ag.tanh(x)").hover()
    assert any("tanh" in line for line in lit(page, "generated"))
    assert any(" = tanh(" in line for line in lit(page, "program"))
    assert any("tanh_f32(" in line for line in lit(page, "kernels"))
    assert any(words.startswith("tanh") for words in lit(page, "graph"))


def test_lines_of_a_kernel_that_have_others_too_are_lit_weakly(page):
    page.locator("#pane-source .line", has_text="ag.tanh(x)").click()
    weakly = page.locator("#pane-kernels .lit").all_text_contents()
    assert any("while True" in line for line in weakly)
    assert not any("while True" in line for line in lit(page, "kernels"))
    first = page.locator("#pane-kernels .strong").first
    assert first.is_visible()


def test_pointing_elsewhere_lets_go_but_choosing_a_line_keeps_it(page):
    line = page.locator("#pane-source .line", has_text="ag.tanh(x)")
    line.hover()
    page.locator("h1").hover()
    assert page.locator(".strong").count() == 0
    line.click()
    page.locator("h1").hover()
    assert page.locator(".strong").count() > 0
    page.keyboard.press("Escape")
    assert page.locator(".strong").count() == 0


def test_choosing_an_operation_tells_what_is_known_of_it(page):
    page.locator("#drawing .node", has_text="tanh").last.click()
    told = page.locator("#details").inner_text()
    assert "native code" in told
    assert "Fused with\nmultiply" in told
    assert "500 flops" in told
    assert "test_in_browser.py:" in told


def test_a_loop_closes_and_opens(page):
    loop = page.locator("#drawing .frame").first
    count = page.locator("#drawing .node").count()
    loop.locator("> text").dblclick()
    assert page.locator("#drawing .node").count() < count
    page.get_by_label("Open or close all loops and branches").click()
    assert page.locator("#drawing .node").count() == count


def test_the_backward_pass_is_a_step_that_lights_up_the_lines_of_the_forward_pass(page):
    shown = page.get_by_label("Graph after which pass")
    shown.select_option(label="gradient: backward pass, simplified")
    assert (
        "What gradient: backward pass, simplified changed" in page.locator("#details").inner_text()
    )
    page.keyboard.press("Escape")
    page.locator("#drawing").focus()
    page.keyboard.press("0")
    page.locator("#drawing .node:not(.frame)", has_text="multiply").last.hover()
    assert any("ag.tanh(x)" in line for line in lit(page, "source"))


def test_the_search_finds_and_goes_from_one_to_the_next(page):
    page.keyboard.press("/")
    page.keyboard.type("tanh")
    assert "found" in page.locator("#count").inner_text()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("#count").inner_text().startswith("2 of ")
    assert page.locator(".strong").count() > 0


def test_everything_is_reached_with_the_keyboard(page):
    reached = set()
    for _ in range(45):
        page.keyboard.press("Tab")
        focused = "e => e.id || e.getAttribute('aria-label') || e.textContent"
        reached.add(page.evaluate(f"({focused})(document.activeElement)"))
    assert {"Source", "Search all panes", "steps", "drawing", "Machine code alone"} <= reached
    page.locator("#drawing").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.locator("#details").is_visible()
    page.locator("#pane-kernels .lines").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("#pane-kernels .line.active").count() == 1
    assert page.locator(".strong").count() > 0


def test_panes_are_switched_and_one_may_take_the_whole_page(page):
    page.get_by_role("button", name="NumPy program", exact=True).click()
    assert page.locator("#pane-numpy").is_visible()
    page.get_by_role("button", name="NumPy program alone").click()
    assert not page.locator("#pane-source").is_visible()
    page.get_by_role("button", name="NumPy program alone").click()
    assert page.locator("#pane-source").is_visible()


def test_the_time_by_line_has_a_bar_for_each_operation(page):
    page.get_by_role("button", name="Time by line", exact=True).click()
    bars = page.locator(".bar").all_inner_texts()
    assert {"settle", "tanh", "reduce_max"} <= set(bars)


def test_a_loop_is_closed_and_opened_by_its_sign(page):
    before = page.locator("#drawing .node").count()
    page.locator("#drawing .sign").first.click()
    assert page.locator("#drawing .node").count() < before
    page.locator("#drawing .sign").first.click()
    assert page.locator("#drawing .node").count() == before


def test_a_trace_on_the_axis_of_time_leads_to_its_reason_and_its_line(page):
    page.get_by_role("button", name="Traces", exact=True).click()
    page.locator("#pane-traces .bar").nth(1).click()
    assert "float64" in page.locator("#pane-traces .chosen").inner_text()
    assert page.locator("#pane-source .strong").inner_text().endswith("traced(number)")


CONTRAST = """() => {
  const brightness = color => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const ground = element => {
    for (let one = element; one; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if (!color.endsWith(', 0)')) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  const worst = {};
  const words = 'h1, h2, p, span, button, select, dt, dd, .title, text';
  for (const element of document.querySelectorAll(words)) {
    if (!element.textContent.trim()) continue;
    const style = getComputedStyle(element);
    const box = element.parentElement.querySelector(':scope > rect');
    const ink = element.tagName === 'text' ? style.fill : style.color;
    const under = box && element.tagName === 'text' ? getComputedStyle(box).fill : ground(element);
    const [low, high] = [brightness(ink), brightness(under)].sort((one, other) => one - other);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) worst[`${element.tagName} ${element.className} ${ink} on ${under}`] = ratio;
  }
  return worst;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_contrast_is_that_of_level_aa(page, theme):
    page.locator("#drawing .node", has_text="tanh").last.click()
    page.evaluate(f"useTheme('{theme}')")
    assert page.evaluate(CONTRAST) == {}


def test_a_script_in_names_and_strings_does_not_run(browser, tmp_path):
    def hostile(x):
        ag.print("</script><script>window.hit = 1</script><img src=x onerror='window.hit = 1'>", x)
        return x * 1.0

    ag.explore(hostile, ag.TensorSpec([4], ag.float32)).save(tmp_path / "page.html")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.locator("#drawing .node").first.wait_for(state="attached")
    assert page.evaluate("window.hit") is None
    assert page.locator("img").count() == 0
    assert "window.hit = 1" in page.locator("#pane-source").inner_text()
    page.close()


def test_saving_the_file_shows_the_new_page(browser, tmp_path):
    watched = tmp_path / "model.py"
    watched.write_text("first", encoding="utf-8")

    def render():
        function = settle if watched.read_text(encoding="utf-8") == "first" else other
        return ag.explore(function, ag.TensorSpec([5], ag.float32)).html("events"), ""

    server = ExploreServer(render, tmp_path)
    for work in (server.http.serve_forever, server.watch):
        threading.Thread(target=work, daemon=True).start()
    page = browser.new_page()
    page.goto(server.address)
    assert page.locator("h1").inner_text() == "settle"
    page.get_by_role("button", name="Machine code", exact=True).click()
    watched.write_text("second", encoding="utf-8")
    page.locator("h1", has_text="other").wait_for(timeout=20_000)
    assert page.locator("#pane-source").is_visible()
    assert not page.locator("#pane-assembly").is_visible()  # as it was before
    page.close()
    server.http.shutdown()
    server.close()


def other(x):
    return ag.exp(x)


def test_two_versions_stand_beside_each_other(browser, tmp_path):
    x = ag.TensorSpec([500], ag.float32)
    ag.explore(settle, x).beside(ag.explore(other, x)).save(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1700, "height": 900})
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto((tmp_path / "page.html").as_uri())
    left, right = (page.frame_locator(f"iframe[name={name}]") for name in ("first", "second"))
    assert [side.locator("h1").inner_text() for side in (left, right)] == ["settle", "other"]
    assert "exp" in right.locator("#pane-kernels .differs").all_text_contents()[0]
    assert left.locator("#pane-source .differs").count() == 4
    right.locator("#pane-source .line", has_text="ag.exp").hover()
    assert any("exp" in line for line in right.locator("#pane-kernels .strong").all_text_contents())
    assert said == []
    page.close()


def test_thousands_of_operations_stay_usable(browser, tmp_path):
    def long(x):
        for _ in range(1500):
            x = ag.tanh(x) + 1.0
        return x

    ag.explore(long, ag.TensorSpec([None], ag.float32)).save(tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1500, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    assert 0 < page.locator("#drawing .node").count() < 1500
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Source"
    page.locator("#drawing").focus()
    page.keyboard.press("End")  # the last box is far below
    assert page.locator("#drawing .active").is_visible()
    page.keyboard.press("0")
    assert page.locator("#drawing path.box").count() > 0
    page.close()
