// A file that is dropped on the form of an import, or pasted there, is chosen and sent.
"use strict";
(() => {
  for (const form of document.querySelectorAll("form[data-drop]")) {
    const file = form.querySelector("input[type=file]");
    const told = form.querySelector("[data-progress]");
    const take = (files) => {
      if (!files.length) return false;
      file.files = files;
      told.textContent = "Sending " + files[0].name + " …";
      form.requestSubmit();
      return true;
    };
    form.addEventListener("dragover", (e) => { e.preventDefault(); form.classList.add("over"); });
    form.addEventListener("dragleave", () => form.classList.remove("over"));
    form.addEventListener("drop", (e) => { e.preventDefault(); form.classList.remove("over"); take(e.dataTransfer.files); });
    form.addEventListener("paste", (e) => { if (take(e.clipboardData.files)) e.preventDefault(); });
    file.addEventListener("change", () => take(file.files));
  }
})();
