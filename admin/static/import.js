// A file that is dropped on the form of an import, or pasted there, is chosen and sent. A large one is sent in pieces, so
// that its progress is shown and it can be cancelled.
"use strict";
(() => {
  const piece = 8 << 20, most = 500 << 20;
  const megabytes = (n) => Math.ceil(n / (1 << 20));

  // sendPiece posts a piece and returns the key under which the file is kept.
  const sendPiece = async (form, body, signal) => {
    const answer = await fetch(form.action, { method: "POST", body, signal });
    const text = await answer.text();
    if (answer.ok) return text;
    const page = new DOMParser().parseFromString(text, "text/html");
    throw new Error((page.querySelector("[role=alert]") || page.querySelector("main") || page.body).textContent.trim());
  };

  const send = async (form, file, told) => {
    const stop = new AbortController();
    const text = document.createElement("span"), bar = document.createElement("progress"), cancel = document.createElement("button");
    bar.max = file.size;
    bar.setAttribute("aria-label", "Sent so far");
    cancel.type = "button";
    cancel.textContent = "Cancel";
    // What has arrived is forgotten, which needs the key that the first piece is answered with.
    let key = "", cancelled = false;
    cancel.addEventListener("click", () => {
      cancelled = true;
      cancel.disabled = true;
      if (key) stop.abort();
    });
    told.replaceChildren(text, " ", bar, " ", cancel);
    const button = form.querySelector("button.primary");
    button.disabled = true;
    try {
      for (let at = 0; at < file.size; at += piece) {
        text.textContent = "Sending " + file.name + ": " + megabytes(at) + " of " + megabytes(file.size) + " MiB";
        bar.value = at;
        const body = new FormData();
        if (key) body.append("append", key);
        else for (const [name, value] of new FormData(form)) if (typeof value === "string" && name !== "text") body.append(name, value);
        body.append("more", "yes");
        body.append("file", file.slice(at, at + piece), file.name);
        key = await sendPiece(form, body, stop.signal);
        if (cancelled) throw new Error("cancelled");
      }
      text.textContent = "Looking at " + file.name + " …";
      bar.removeAttribute("value");
      cancel.remove();
      // By POST, which may take longer than GET.
      const kept = document.createElement("input");
      kept.type = "hidden", kept.name = "data", kept.value = key;
      form.append(kept);
      form.enctype = "application/x-www-form-urlencoded";
      for (const sent of form.querySelectorAll("input[type=file], textarea")) sent.disabled = true;
      form.submit();
    } catch (why) {
      told.textContent = why.message;
      button.disabled = false;
      if (!cancelled) return;
      told.textContent = "Cancelled. Nothing was changed.";
      if (!key) return;
      const gone = await fetch(form.action, { method: "POST", body: new URLSearchParams({ data: key, _do: "cancel" }) }).catch(() => null);
      told.textContent = gone && gone.ok ? "Cancelled. What was sent is gone, and nothing was changed." : "Cancelled, and nothing was changed. What was sent is forgotten within two hours.";
    }
  };

  for (const form of document.querySelectorAll("form[data-drop]")) {
    const file = form.querySelector("input[type=file]");
    const told = form.querySelector("[data-progress]");
    const take = (files) => {
      if (!files.length) return false;
      file.files = files;
      form.requestSubmit();
      return true;
    };
    form.addEventListener("submit", (e) => {
      const chosen = file.files[0];
      if (!chosen) return;
      told.textContent = "Sending " + chosen.name + " …";
      if (chosen.size <= piece) return;
      e.preventDefault();
      if (chosen.size > most) told.textContent = chosen.name + " is larger than " + megabytes(most) + " MiB; trails import FILE DATA on the command line takes any size.";
      else send(form, chosen, told);
    });
    form.addEventListener("dragover", (e) => { e.preventDefault(); form.classList.add("over"); });
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (e) => { e.preventDefault(); form.classList.remove("over"); take(e.dataTransfer.files); });
    form.addEventListener("paste", (e) => {
      // Spreadsheets copy cells as text and as a picture of them: the text is meant. File managers copy a file with its name as
      // text: the file is meant.
      const { files, types } = e.clipboardData;
      const picture = files.length > 0 && files[0].type.startsWith("image/") && types.includes("text/plain");
      if (!picture && take(files)) e.preventDefault();
    });
    file.addEventListener("change", () => take(file.files));
  }
})();
