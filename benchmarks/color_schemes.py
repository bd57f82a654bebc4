"""Charts in SVG that follow the color scheme of the page: dark text on light, light on dark."""

from pathlib import Path

STYLE = """<style type="text/css">
svg { color: #24292f; fill: currentColor; }
@media (prefers-color-scheme: dark) { svg { color: #d8dee4; } }
</style>"""
REPLACED = {  # by what is drawn in the color of the page, or shows it
    "#000000": "currentColor",
    'fill="white"': 'fill="none"',
    "fill: #ffffff": "fill: none",
}


def follow_color_scheme(path: Path) -> None:
    """Let black lines and text of an SVG file have the page's color, and white areas none."""
    content = path.read_text(encoding="utf-8")
    for color, instead in REPLACED.items():
        content = content.replace(color, instead)
    end = content.index(">", content.index("<svg")) + 1
    path.write_text(f"{content[:end]}\n{STYLE}{content[end:]}", encoding="utf-8")
