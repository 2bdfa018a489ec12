// What forms do besides being filled in: rows of a list come and go, and references
// are found by typing. Every form works without it.
"use strict";
(() => {
	// Rows: a new one is a copy of the last, empty. Without this script the buttons
	// send the form, and the page comes back with more rows or fewer.

	function addRow(rows) {
		const last = rows.lastElementChild, copy = last.cloneNode(true);
		copy.classList.remove("chip");
		copy.querySelector(".chip-text")?.remove();
		const stem = rows.querySelector("[id]").id.replace(/-\d+$/, ""), n = rows.children.length + 1;
		for (const it of copy.querySelectorAll("datalist, .ref-label")) it.remove();
		for (const it of copy.querySelectorAll("input, select, textarea")) {
			it.value = "";
			it.id = `${stem}-${n}`;
			it.removeAttribute("aria-invalid");
			it.removeAttribute("aria-activedescendant");
		}
		for (const list of copy.querySelectorAll(".listbox")) {
			const input = copy.querySelector("input");
			list.id = `${input.id}-list`;
			list.hidden = true;
			list.replaceChildren();
			input.setAttribute("hx-target", `#${list.id}`);
			input.setAttribute("hx-get", input.getAttribute("hx-get").replace(/list=[^&]*/, `list=${list.id}`));
		}
		if (!copy.querySelector("[data-drop]")) {
			copy.append(dropButton());
		}
		rows.append(copy);
		window.htmx?.process(copy);
		combos(copy);
		copy.querySelector("input, select, textarea").focus();
	}

	function dropButton() {
		const drop = document.createElement("button");
		Object.assign(drop, { type: "button", className: "small quiet", textContent: "Remove" });
		drop.dataset.drop = "";
		return drop;
	}

	function dropRow(row) {
		const rows = row.parentElement;
		if (rows.children.length > 1) {
			const next = row.nextElementSibling || row.previousElementSibling;
			row.remove();
			next.querySelector(next.matches(".chip") ? ".chip-text" : "input, select, textarea")?.focus();
			return;
		}
		write(row);
		const it = row.querySelector("input, select, textarea");
		it.value = "";
		it.focus();
	}

	document.addEventListener("trails:row", event => addRow(event.target), true); // of a draft with more rows

	document.addEventListener("click", event => {
		const add = event.target.closest("[data-add]"), drop = event.target.closest("[data-drop]");
		if (!add && !drop) return;
		event.preventDefault();
		if (add) addRow(add.parentElement.querySelector(".rows"));
		else {
			const form = drop.closest("form");
			dropRow(drop.closest(".row"));
			form?.dispatchEvent(new Event("change"));
		}
	});

	// Chips: a value of a list that is not being written stands as a chip. Its text opens it again. What is wrong stays
	// open.

	const line = row => row.querySelector("input:not([type=hidden])");

	function chip(row) {
		const input = row.parentElement?.matches("[data-rows]") && line(row);
		if (!input?.value.trim() || row.matches(".chip") || input.getAttribute("aria-invalid") === "true" || !input.validity.valid) return;
		const text = document.createElement("button"), said = row.querySelector(".ref-label")?.textContent || input.dataset.said || input.value;
		Object.assign(text, { type: "button", className: "chip-text", textContent: said, title: input.value });
		text.setAttribute("aria-label", `Change ${said}`);
		text.addEventListener("click", () => write(row));
		row.prepend(text);
		row.classList.add("chip");
		if (!row.querySelector("[data-drop]")) row.append(dropButton());
	}

	function write(row) {
		row.classList.remove("chip");
		row.querySelector(".chip-text")?.remove();
		line(row)?.focus();
	}

	function chips(root) {
		for (const row of root.querySelectorAll(".form [data-rows] > .row")) if (!row.contains(document.activeElement)) chip(row);
	}

	document.addEventListener("focusout", event => {
		const row = event.target.closest?.(".form [data-rows] > .row");
		if (row && event.target === line(row) && !row.contains(event.relatedTarget)) settled(() => row.contains(document.activeElement) || chip(row));
	});

	// settled acts when no button is held down: what moves between press and release is not clicked.
	let pressed = false;
	for (const [name, is] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) document.addEventListener(name, () => { pressed = is; }, true);
	const settled = act => pressed ? document.addEventListener("pointerup", () => setTimeout(act), { once: true }) : act();

	document.addEventListener("input", event => { delete event.target.dataset?.said; });

	// Enter in a line of a list takes the value and goes on to the next.
	document.addEventListener("keydown", event => {
		const row = event.target.closest?.(".form [data-rows] > .row");
		if (event.key !== "Enter" || event.defaultPrevented || !row || event.target !== line(row) || !event.target.value.trim()) return;
		if (event.target.matches("[data-combo]") && !listOf(event.target).hidden) return;
		event.preventDefault();
		const rows = row.parentElement, next = [...rows.children].find(it => it !== row && line(it)?.value === "");
		if (next) line(next).focus();
		else addRow(rows);
		chip(row);
	});

	document.addEventListener("trails:filled", event => {
		for (const row of event.target.querySelectorAll(".row.chip")) {
			row.classList.remove("chip");
			row.querySelector(".chip-text").remove();
		}
		chips(document);
	}, true);

	// Combo boxes (WAI-ARIA, combobox with a list): the list comes from the server,
	// arrows walk through it, Enter takes, Escape closes.

	const listOf = input => document.getElementById(`${input.id}-list`);
	const optionsOf = input => [...listOf(input).querySelectorAll("[data-value]")];

	function combos(root) {
		for (const input of root.querySelectorAll("[data-combo]")) {
			input.removeAttribute("list");
			input.setAttribute("role", "combobox");
			input.setAttribute("aria-autocomplete", "list");
			input.setAttribute("aria-controls", `${input.id}-list`);
			input.setAttribute("aria-expanded", "false");
		}
	}

	function open(input, yes) {
		listOf(input).hidden = !yes;
		input.setAttribute("aria-expanded", String(yes));
		if (!yes) point(input, undefined);
	}

	function point(input, option) {
		for (const it of optionsOf(input)) it.setAttribute("aria-selected", String(it === option));
		if (!option) {
			delete input.dataset.active;
			input.removeAttribute("aria-activedescendant");
			return;
		}
		input.dataset.active = option.dataset.value;
		input.setAttribute("aria-activedescendant", option.id);
		option.scrollIntoView({ block: "nearest" });
	}

	function take(input, option) {
		input.value = option.dataset.value;
		input.dataset.said = option.querySelector("bdi")?.textContent || "";
		input.closest(".combo").querySelector(".ref-label")?.remove();
		open(input, false);
		input.focus();
		input.dispatchEvent(new Event("change", { bubbles: true }));
	}

	const keys = {
		ArrowDown: (input, list, at) => point(input, list[(at + 1) % list.length]),
		ArrowUp: (input, list, at) => point(input, list[(at - 1 + list.length) % list.length]),
		Enter: (input, list, at) => at >= 0 && take(input, list[at]),
	};

	document.addEventListener("keydown", event => {
		const input = event.target;
		if (!input.matches?.("[data-combo]")) return;
		const closed = listOf(input).hidden;
		if (event.key === "Escape" && !closed) {
			event.preventDefault();
			open(input, false);
		} else if (event.key === "ArrowDown" && closed) {
			event.preventDefault();
			input.dispatchEvent(new Event("open"));
		} else if (keys[event.key] && !closed) {
			const list = optionsOf(input), at = list.findIndex(it => it.getAttribute("aria-selected") === "true");
			if (list.length === 0 || event.key === "Enter" && at < 0) return;
			event.preventDefault();
			keys[event.key](input, list, at < 0 && event.key === "ArrowUp" ? 0 : at);
		}
	});

	document.addEventListener("htmx:afterSwap", event => {
		const input = event.detail.target.previousElementSibling;
		if (!input?.matches("[data-combo]") || document.activeElement !== input) return;
		open(input, true);
		const list = optionsOf(input), n = list.length;
		point(input, list.find(it => it.dataset.value === input.dataset.active)); // a late answer keeps the choice
		document.getElementById("announce").textContent = n === 1 ? "1 suggestion" : `${n} suggestions`;
	});

	document.addEventListener("mousedown", event => {
		const option = event.target.closest(".listbox [data-value]");
		if (!option) return;
		event.preventDefault(); // the field keeps the focus
		take(option.closest(".combo").querySelector("[data-combo]"), option);
	});

	document.addEventListener("focusout", event => {
		if (event.target.matches?.("[data-combo]")) open(event.target, false);
	});

	combos(document);
	chips(document);
	for (const it of document.querySelectorAll("[data-scripted]")) it.hidden = false;
	document.addEventListener("trails:added", () => combos(document));
	document.getElementById("problems")?.focus(); // a busy browser can leave its autofocus out
})();
