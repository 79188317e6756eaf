"""An answer as a notebook shows it: legible on light and dark pages, and its buttons copy."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import unittest

import faultbook
from faultbook import _html

OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11.76 GiB"

#: Backgrounds of Jupyter, VS Code and Colab.
PAGES = {"light": ("#ffffff", "#f3f3f3"), "dark": ("#111111", "#1e1e1e", "#383838")}


def luminance(colour: str) -> float:
    """Of WCAG 2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Between 1 and 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


class Page(unittest.TestCase):
    def test_colours_are_legible_on_light_and_dark_pages(self) -> None:
        for theme, pages in PAGES.items():
            for page in pages:
                for use, colour in _html.COLOURS[theme].items():
                    with self.subTest(f"{use} on {page}"):
                        # 4.5 for words, 3 for bars and edges.
                        self.assertGreaterEqual(contrast(colour, page), 4.5 if use in ("for", "against") else 3)

    def test_no_other_colour_is_set(self) -> None:
        rest = re.sub(r"--faultbook-\w+:#\w+;", "", _html._STYLE)
        self.assertEqual(re.findall(r"#[0-9a-f]{3,8}\b|(?<![-\w])(?:white|black)\b(?!-)", rest), [])

    def test_front_ends_are_recognized(self) -> None:
        for mark in (
            "[data-jp-theme-light='false']",
            ".vscode-dark",
            "html[theme='dark']",
            "prefers-color-scheme:dark",
        ):
            self.assertIn(mark, _html._STYLE)

    def test_buttons_copy(self) -> None:
        page = faultbook.diagnose(OOM)._repr_html_()
        buttons = re.findall(r'<pre><button onclick="([^"]*)">copy</button><code>(.*?)</code></pre>', page, re.DOTALL)
        self.assertGreater(len(buttons), 1)
        node = shutil.which("node")
        if node is None:
            self.skipTest("LEFT OUT: node is not installed")
        script = html.unescape(buttons[0][0])
        for clipboard in (True, False):
            with self.subTest(f"with a clipboard: {clipboard}"):
                ended = subprocess.run(
                    [node, "-e", DOM % (json.dumps(clipboard), json.dumps(script))],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(json.loads(ended.stdout or "0"), ["step(batch)", "copied"], ended.stderr)


#: As much of a browser as a button needs.
DOM = """
const has = %s, script = %s;
let copied = null, selected = null;
const code = { textContent: 'step(batch)' };
const button = { parentNode: { querySelector: () => code }, textContent: 'copy' };
Object.defineProperty(globalThis, 'navigator', { configurable: true, value:
  has ? { clipboard: { writeText: (t) => { copied = t; return Promise.resolve(); } } } : {} });
globalThis.getSelection = () => ({ removeAllRanges() {}, addRange() {} });
globalThis.document = {
  createRange: () => ({ selectNodeContents: (c) => { selected = c.textContent; } }),
  execCommand: (what) => { copied = selected; return what === 'copy'; },
};
new Function(script).call(button);
setTimeout(() => console.log(JSON.stringify([copied, button.textContent])), 20);
"""


if __name__ == "__main__":
    unittest.main()
