"""A file that did not arrive: said in plain words below the box, with one click to send it again.

The server learns nothing of an upload that broke off, and the box itself shows the browser's words only, such as
“AxiosError: Network Error”. So this is done in the browser. The markup and the script are fixed texts of this
module; what they say reaches them as data, and a file's name as text.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

#: By what the browser says, the first that fits; {name} is the file's.
_SENTENCES: Final = (
    (
        "status code (400|401|403|404)",
        "“{name}” did not arrive: it reached another server than the one behind this page. Nothing of it was kept. "
        "Send it again; if it goes on like this, tell the administrator that several servers behind one address "
        "need sticky sessions.",
    ),
    (
        "status code 413",
        "“{name}” did not arrive: a server on the way takes no file of this size. Nothing of it was kept. Tell the "
        "administrator that a proxy limits the size of uploads, or send a smaller or compressed file.",
    ),
    (
        "status code",
        "“{name}” did not arrive: a server on the way failed. Nothing of it was kept. Send it again in a moment.",
    ),
    (
        "Network Error|aborted|timeout|AxiosError",
        "“{name}” did not arrive: the connection was cut on its way. Nothing of it was kept. Send it again; if it is "
        "cut each time, tell the administrator that a proxy may stop large or slow uploads.",
    ),
)
_HTML: Final = """<div class="fault" role="alert" hidden><div class="lines"></div>
<button class="again">Send again</button> <button class="leave">Leave it</button></div>"""
_CSS: Final = """
.fault {
  font: inherit; color: var(--st-red-text-color, var(--st-text-color)); border-radius: var(--st-base-radius);
  background: var(--st-red-background-color, var(--st-secondary-background-color)); padding: 1rem;
}
.fault[hidden] {display: none}
p {margin: 0 0 0.6rem; unicode-bidi: plaintext}
button {
  margin-right: 0.3rem;
  font: inherit; color: var(--st-text-color); background: var(--st-background-color); cursor: pointer;
  border: 1px solid var(--st-border-color); border-radius: var(--st-base-radius); padding: 0.3rem 0.9rem;
}
button[hidden] {display: none}
button:hover, button:focus-visible {color: var(--st-primary-color); border-color: var(--st-primary-color)}
"""
_JS: Final = """
// What was dropped in this window, and what of it did not arrive, both by name: a box is emptied, and replaced by the
// next one, as soon as the other files of the same drop are taken.
const { given, lost } = (window.tabulaflowUploads ??= { given: new Map(), lost: new Map() });
export default function ({ parentElement, data }) {
  const fault = parentElement.querySelector(".fault"), lines = parentElement.querySelector(".lines");
  const again = parentElement.querySelector(".again"), leave = parentElement.querySelector(".leave");
  const number = new RegExp("st-key-" + data.prefix + "([0-9]+)");
  const round = (element) => Number(element.className.match(number)?.[1] ?? -1);
  // The box of the round before is still there, grey, while the page is drawn anew.
  const box = () => [...document.querySelectorAll(`[class*="st-key-${data.prefix}"]`)]
    .sort((one, other) => round(other) - round(one))[0];
  const keep = (files) => { for (const file of files || []) { given.set(file.name, file); lost.delete(file.name); } };
  const inside = (event) => event.target instanceof Element && box()?.contains(event.target);
  const onChange = (event) => { if (inside(event) && event.target.type === "file") keep(event.target.files); };
  const onDrop = (event) => { if (inside(event)) keep(event.dataTransfer?.files); };
  const chips = () => [...(box()?.querySelectorAll("[data-testid=stFileChip]") || [])];
  const failed = () => chips()
    .map((chip) => ({
      name: chip.querySelector("[data-testid=stFileChipName]")?.getAttribute("title") || "",
      words: chip.querySelector("[role=alert]")?.textContent || "",
      remove: chip.querySelector("[data-testid=stFileChipDeleteBtn] button"),
    }))
    .filter((file) => file.words);
  const said = ({ name, words }) => {
    const found = data.sentences.find(([pattern]) => new RegExp(pattern, "i").test(words));
    return found ? found[1].replace("{name}", () => name) : name + ": " + words.replace(/^Error: /, "");
  };
  let shown = "";
  const look = () => {
    const now = failed(), at = box() ? round(box()) : -1;
    for (const [name, file] of lost)  // taken out of its box by hand: there is no more to say
      if (file.at === at && !now.some((other) => other.name === name)) lost.delete(name);
    for (const { name, words } of now) lost.set(name, { name, words, at });
    const sentences = [...lost.values()].map(said);
    fault.hidden = !sentences.length;
    // Others of the same drop are still on their way, or about to be taken: the box is not free yet.
    const ours = [...lost.values()].filter(({ name, words }) => given.has(name) && words.includes("AxiosError"));
    again.hidden = chips().length > now.length || !ours.length;
    if (sentences.join("\\n") === shown) return;
    shown = sentences.join("\\n");
    lines.replaceChildren(...sentences.slice(0, 6).map((sentence) => {
      const line = document.createElement("p");
      line.textContent = sentence;
      return line;
    }));
  };
  const clear = () => { failed().forEach(({ remove }) => remove?.click()); lost.clear(); look(); };
  leave.onclick = () => clear();
  again.onclick = () => {
    const files = new DataTransfer();
    for (const name of lost.keys()) if (given.has(name)) files.items.add(given.get(name));
    clear();
    setTimeout(() => {
      const input = box()?.querySelector("input[type=file]");
      if (!input || !files.files.length) return;
      input.files = files.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    }, 100);
  };
  document.addEventListener("change", onChange, true);
  document.addEventListener("drop", onDrop, true);
  const observer = new MutationObserver(look);
  if (box()) observer.observe(box().parentElement, { childList: true, subtree: true, characterData: true });
  const timer = setInterval(look, 500);
  look();
  return () => {
    clearInterval(timer);
    observer.disconnect();
    document.removeEventListener("change", onChange, true);
    document.removeEventListener("drop", onDrop, true);
  };
}
"""
_COMPONENT: Final = st.components.v2.component("tabulaflow_upload_fault", html=_HTML, css=_CSS, js=_JS)


def draw(prefix: str) -> None:
    """Draw what is to be said of files that did not arrive; nothing as long as all do.

    Args:
        prefix: How the keys of the boxes begin; a number follows, which grows from box to box.
    """
    _COMPONENT(key="fault-of-uploads", data={"prefix": prefix, "sentences": [list(pair) for pair in _SENTENCES]})
