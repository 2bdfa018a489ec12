// A node for a reference is made in a dialog over the form. Without this script the same button leads to a page with the
// second form, which carries the first one; the dialog sends and shows nothing else.
"use strict";
(() => {
	let dialog = null, field = null, first = "", closing = false;
	let fresh = null, told = null; // the field with the new node, and what the page says of it
	const outer = form => form.elements._outer?.value ?? "";

	// send posts a form as its button does, and returns the page that comes back.
	async function send(form, button) {
		const body = new FormData(form);
		if (button?.name) body.set(button.name, button.value);
		try {
			const answer = await fetch(form.action, { method: "POST", body });
			return new DOMParser().parseFromString(await answer.text(), "text/html");
		} catch (e) {
			return null;
		}
	}

	// While the dialog is open, what is below has no ids, and labels name none: the second form has the same.
	function lend(away) {
		for (const pair of [["id", "data-lent"], ["for", "data-lent-for"]]) {
			const [from, to] = away ? pair : pair.toReversed();
			for (const it of document.querySelectorAll(`main [${from}]`)) {
				it.setAttribute(to, it.getAttribute(from));
				it.removeAttribute(from);
			}
		}
	}

	document.addEventListener("click", async event => {
		const button = event.target.closest?.("button.make"), form = button?.form;
		if (!form || !window.HTMLDialogElement) return;
		event.preventDefault();
		if (form.getAttribute("aria-busy")) return;
		form.setAttribute("aria-busy", "true");
		const page = await send(form, button);
		form.removeAttribute("aria-busy");
		if (!dialog) {
			field = button.closest(".field");
			first = outer(form);
		}
		if (!page || !show(page)) form.requestSubmit(button); // the page says what is wrong
	});

	// show puts the second form, or one that it opened, into the dialog. Once the first form comes back, its field does.
	function show(page) {
		const form = page.getElementById("form");
		if (!form) return false;
		if (outer(form) === first) return dialog ? made(page) : false;
		if (!dialog) open();
		const heading = document.createElement("h2");
		heading.id = "make-heading";
		heading.textContent = page.querySelector("main h1").textContent;
		dialog.replaceChildren(heading, ...page.querySelector("main .columns > div").childNodes);
		window.htmx?.process(dialog);
		document.dispatchEvent(new CustomEvent("trails:added"));
		(dialog.querySelector(".notice-bad") || dialog.querySelector("#form input:not([type=hidden]), #form select, #form textarea")).focus();
		return true;
	}

	function open() {
		lend(true);
		dialog = document.createElement("dialog");
		dialog.className = "make-dialog";
		dialog.setAttribute("aria-labelledby", "make-heading");
		let typed = false;
		dialog.addEventListener("input", () => { typed = true; closing = false; });
		dialog.addEventListener("cancel", event => {
			if (!typed || closing) return;
			event.preventDefault();
			closing = true;
			tell("Press Escape again to leave this without what you wrote here.");
		});
		dialog.addEventListener("close", () => {
			dialog.remove();
			dialog = null;
			lend(false);
			if (fresh) place();
			else field.querySelector("button.make")?.focus();
		});
		dialog.addEventListener("submit", async event => {
			const form = event.target, button = event.submitter;
			event.preventDefault();
			if (button?.value === "back" && outerMost(form)) return dialog.close();
			if (form.getAttribute("aria-busy")) return;
			form.setAttribute("aria-busy", "true");
			const page = await send(form, button);
			form.removeAttribute("aria-busy");
			if (!page || !show(page)) tell("It was not made, and what you wrote is still here: the server did not answer as it should. Try again.");
		});
		document.body.append(dialog);
		dialog.showModal();
	}

	// outerMost tells whether a form was opened from the page, and not from another one in the dialog.
	const outerMost = form => (new URLSearchParams(outer(form)).get("_outer") ?? "") === first;

	function tell(text) {
		let line = dialog.querySelector(".make-told");
		if (!line) {
			line = document.createElement("p");
			line.className = "notice make-told";
			line.setAttribute("role", "status");
			dialog.querySelector("h2").after(line);
		}
		line.textContent = text;
	}

	function made(page) {
		fresh = [...page.querySelectorAll(".field")].find(it => it.dataset.field === field.dataset.field);
		told = page.querySelector("main .notice[role=status]");
		dialog.close();
		return true;
	}

	function place() {
		const now = document.adoptNode(fresh);
		field.replaceWith(now);
		fresh = null;
		window.htmx?.process(now);
		document.dispatchEvent(new CustomEvent("trails:added"));
		now.dispatchEvent(new CustomEvent("trails:filled"));
		now.closest("form").dispatchEvent(new Event("change"));
		(now.querySelector(".chip-text") || now.querySelector("input:not([type=hidden]), select"))?.focus();
		const form = now.closest("form");
		if (!told || form.matches(".cell-edit")) return;
		if (form.previousElementSibling?.matches(".notice[role=status]")) form.previousElementSibling.remove();
		form.before(told);
	}
})();
