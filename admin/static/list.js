// What the table of a list does besides being read: columns sort together, cells are reached by keys, and one is changed
// in its place. All of it has a link or a form that does the same.
"use strict";
(() => {
	// The browser keeps the columns that somebody chose for a type: the list has them where its address names none.
	const menu = () => document.querySelector("#columns form");
	const keptAt = `trails:columns:${document.getElementById("find")?.dataset.base}:${location.pathname}`;
	const keep = columns => {
		try {
			if (columns) localStorage.setItem(keptAt, JSON.stringify(columns));
			else localStorage.removeItem(keptAt);
		} catch { /* it is not allowed to remember */ }
	};
	const here = new URL(location.href);
	if (menu() && !here.searchParams.has("col")) {
		try {
			const known = new Set([...menu().elements.col].map(it => it.value)); // others are gone since
			for (const name of JSON.parse(localStorage.getItem(keptAt)) || []) if (known.has(name)) here.searchParams.append("col", name);
			if (here.searchParams.has("col")) location.replace(here);
		} catch { /* nothing is remembered, or somebody else wrote there */ }
	}
	document.addEventListener("submit", e => { if (e.target === menu()) keep(new FormData(e.target).getAll("col")); }, true);
	document.addEventListener("click", e => { if (e.target.closest("[data-first-columns]")) keep(null); }, true);

	// A click with Shift on a column's head sorts by it after the columns that sort already.
	document.addEventListener("click", e => {
		const head = e.shiftKey && e.target.closest(".list-table th a[data-too]");
		const too = head && document.getElementById(head.dataset.too);
		if (!too) return;
		e.preventDefault();
		e.stopPropagation();
		too.click();
	}, true);

	// Bars of years and months are links. Who drags over them, or holds Shift with an arrow key, bounds the list by the
	// first and the last of those; Escape leaves them.
	const barsOf = node => node.closest?.(".bars[data-range]");
	const barOf = node => node.closest?.(".bars[data-range] a");
	let from = null, to = null, dragged = false; // the bars at both ends, and whether the pointer left the first one

	function mark() {
		const all = from ? [...barsOf(from).querySelectorAll("a")] : [];
		const ends = [all.indexOf(from), all.indexOf(to)].sort((a, b) => a - b);
		const chosen = all.slice(ends[0], ends[1] + 1);
		for (const it of document.querySelectorAll(".bars a.chosen")) if (!chosen.includes(it)) it.classList.remove("chosen");
		for (const it of chosen) it.classList.add("chosen");
		if (chosen.length < 2) return chosen;
		const sum = chosen.reduce((n, it) => n + Number(it.dataset.count), 0);
		tell(`${chosen[0].dataset.value} to ${chosen.at(-1).dataset.value}: ${sum}`);
		return chosen;
	}

	function unmark() {
		from = to = null;
		mark();
	}

	function bound(chosen) {
		const { property, range } = barsOf(chosen[0]).dataset, link = document.createElement("a"), list = new URL(range, location.href);
		list.searchParams.append("where", `${property}>=${chosen[0].dataset.value}`);
		list.searchParams.append("where", `${property}<=${chosen.at(-1).dataset.value}`);
		link.href = list.href;
		document.getElementById("found").append(link);
		window.htmx?.process(link);
		unmark();
		link.click();
	}

	document.addEventListener("pointerdown", e => {
		const bar = e.button === 0 && !e.shiftKey && !e.ctrlKey && !e.metaKey && barOf(e.target);
		dragged = false;
		if (bar) {
			from = to = bar;
			bar.releasePointerCapture?.(e.pointerId); // of a finger, so that it is over other bars
		}
	});
	document.addEventListener("pointermove", e => {
		const bar = e.buttons & 1 && from && barOf(document.elementFromPoint(e.clientX, e.clientY) || document.body);
		if (!bar || bar === to || barsOf(bar) !== barsOf(from)) return;
		to = bar;
		dragged = true;
		mark();
	});
	document.addEventListener("pointerup", () => {
		const chosen = dragged ? mark() : [];
		if (chosen.length > 1) bound(chosen);
		else if (from) unmark();
	});
	document.addEventListener("pointercancel", unmark);
	document.addEventListener("dragstart", e => {
		if (barOf(e.target)) e.preventDefault();
	});
	document.addEventListener("click", e => { // the end of a drag is no click
		if (!dragged || !barOf(e.target)) return;
		dragged = false;
		e.preventDefault();
		e.stopPropagation();
	}, true);
	document.addEventListener("keydown", e => {
		const bar = barOf(e.target);
		if (!bar || e.ctrlKey || e.metaKey || e.altKey) return;
		const next = e.key === "ArrowRight" ? bar.nextElementSibling : e.key === "ArrowLeft" ? bar.previousElementSibling : null;
		if (next?.matches("a")) {
			if (e.shiftKey) from ||= bar;
			else unmark();
			next.focus();
			if (e.shiftKey) {
				to = next;
				mark();
			}
		} else if (e.key === "Escape" && from) unmark();
		else if (e.key === "Enter" && from && mark().length > 1) bound(mark());
		else return;
		e.preventDefault();
		e.stopPropagation();
	});

	// The table is a grid (WAI-ARIA): one cell can be reached by Tab, the others from there by arrows.
	const table = () => document.querySelector("#found .list-table");
	const cellOf = node => node.closest?.(".list-table tbody :is(td, th):not(.empty)");

	function tidy() {
		const grid = table(), rows = grid?.tBodies[0].rows;
		if (!rows?.length || rows[0].cells.length < 2) return;
		if (grid.getAttribute("role") !== "grid") grid.setAttribute("role", "grid");
		if (!grid.querySelector("tbody :is(td, th)[tabindex='0']")) rows[0].querySelector("th").tabIndex = 0;
		count();
	}

	function focus(cell) {
		if (!cell) return;
		for (const it of table().querySelectorAll("tbody :is(td, th)[tabindex]")) if (it !== cell) it.removeAttribute("tabindex");
		cell.tabIndex = 0;
		cell.focus();
	}

	const across = (cell, by) => cell.parentElement.cells[cell.cellIndex + by];
	const along = (cell, by) => table().tBodies[0].rows[cell.parentElement.sectionRowIndex + by]?.cells[cell.cellIndex];
	const moves = {
		ArrowRight: cell => across(cell, 1), ArrowLeft: cell => across(cell, -1),
		ArrowDown: cell => along(cell, 1), ArrowUp: cell => along(cell, -1),
		Home: cell => cell.parentElement.cells[0], End: cell => [...cell.parentElement.cells].at(-1),
	};

	document.addEventListener("keydown", e => {
		const cell = e.target;
		if (e.ctrlKey || e.metaKey || e.altKey || cell !== cellOf(cell)) return;
		const row = cell.parentElement;
		if (moves[e.key]) focus(moves[e.key](cell));
		else if (e.key === "x" || e.key === "X") tick(row.querySelector(".tick input"), e.shiftKey);
		else if (e.key === "e" || e.key === "F2" || e.key === "Enter" && cell.nodeName === "TD" && addressOf(cell)) edit(cell);
		else if (e.key === "Enter") cell.querySelector("a, input")?.click();
		else return;
		e.preventDefault();
	});
	// A cell that is clicked has the focus, from which its keys work; what it has in it, and a text that is marked, keep theirs.
	document.addEventListener("click", e => {
		const cell = cellOf(e.target);
		if (cell && !e.target.closest("a, button, input, select, textarea, label") && getSelection().isCollapsed) focus(cell);
	});

	document.addEventListener("dblclick", e => {
		const cell = cellOf(e.target);
		if (cell && !e.target.closest("a, input, form")) edit(cell);
	});

	// Rows are ticked one by one, with Shift from the last one that was ticked, or all of the page by the box in the head.
	// How many are stands in the form below the table, which stays in sight while there are some.
	const ticks = () => [...document.querySelectorAll(".list-table tbody .tick input")];
	const ticked = () => ticks().filter(it => it.checked);
	let last = null, shifted = false;

	function count() {
		const all = ticks(), form = document.getElementById("selected"), head = document.querySelector(".list-table thead .tick input");
		if (!form || !head) return;
		const n = all.filter(it => it.checked).length;
		head.hidden = false;
		head.checked = n > 0 && n === all.length;
		head.indeterminate = n > 0 && n < all.length;
		form.classList.toggle("some", n > 0);
		form.classList.toggle("several", n > 1);
		for (const it of document.querySelectorAll(".cell-edit [data-all]")) {
			it.hidden = n < 2 || !it.closest("tr").querySelector(".tick input").checked;
			const text = `Save in all ${n} ticked`;
			if (it.textContent !== text) it.textContent = text;
		}
		const says = n ? `${n} ticked` : "", line = document.getElementById("ticked");
		if (line.textContent !== says) line.textContent = says;
	}

	const tick = (box, shiftKey) => box?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey }));
	document.addEventListener("click", e => {
		if (e.target.matches?.(".list-table .tick input")) shifted = e.shiftKey;
		else if (e.target.matches?.(".list-table .tick")) tick(e.target.querySelector("input"), e.shiftKey); // beside the box
	}, true);
	document.addEventListener("change", e => {
		const box = e.target, all = ticks();
		if (box.matches(".list-table thead .tick input")) for (const it of all) it.checked = box.checked;
		else if (all.includes(box)) {
			const ends = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
			if (shifted && ends[0] >= 0) for (const it of all.slice(ends[0], ends[1] + 1)) it.checked = box.checked;
			last = box;
		} else return;
		count();
	});

	// A row stays as high as it is when the pointer is over it: what there is no room for is the tooltip of its cell.
	document.addEventListener("pointerover", e => {
		const cell = cellOf(e.target), text = cell?.querySelector(":scope > .vals, .node");
		if (!text) return;
		if (text.scrollHeight > text.clientHeight + 1) cell.title = text.innerText.trim().slice(0, 1000);
		else cell.removeAttribute("title");
	});

	// A cell is edited with the field of the node's form, which is sent where the form is sent. So all that the form
	// refuses is refused here, too.
	const propertyOf = cell => table().tHead.rows[0].cells[cell.cellIndex].dataset.property;
	// titleOf is what people call it.
	const titleOf = cell => table().tHead.rows[0].cells[cell.cellIndex].dataset.title || propertyOf(cell);
	// A column over a reference is of another node.
	const addressOf = cell => propertyOf(cell) && !propertyOf(cell).includes(".") && cell.parentElement.dataset.edit;
	const parse = async answer => new DOMParser().parseFromString(await answer.text(), "text/html");
	const held = new WeakMap(); // what a cell showed before it was edited

	async function edit(cell) {
		const address = addressOf(cell);
		const open = document.querySelector(".cell-edit");
		if (open) {
			tell("Save or leave the cell that is open first.");
			open.querySelector("input:not([type=hidden]), select, textarea")?.focus();
		}
		if (!address || open || held.has(cell)) return;
		held.set(cell, null);
		cell.setAttribute("aria-busy", "true");
		let page = null;
		try {
			const answer = await fetch(address, { headers: { Accept: "text/html" } });
			page = answer.ok && !answer.redirected && await parse(answer);
		} catch (e) { /* the form's page says what is wrong */ }
		cell.removeAttribute("aria-busy");
		held.delete(cell);
		if (!page || !show(cell, page)) location.assign(address);
	}

	// show puts the field of a form's page, with what the page says of it, into the cell.
	function show(cell, page) {
		const from = page.getElementById("form");
		const field = [...from?.querySelectorAll(".field") || []].find(it => it.dataset.field === propertyOf(cell));
		if (!field) return false;
		if (!held.get(cell)) held.set(cell, [...cell.childNodes]);
		cell.parentElement.setAttribute("data-keep", ""); // while others write
		const form = document.createElement("form");
		form.className = "cell-edit";
		form.method = "post";
		form.action = from.getAttribute("action");
		form.noValidate = true;
		form.setAttribute("hx-select", "unset"); // suggestions are no parts of a list's page
		form.append(...[...from.children].filter(it => it.matches("input[type=hidden]")));
		form.insertAdjacentHTML("beforeend", '<input type="hidden" name="_do" value="call"><input type="hidden" name="arg.branch">');
		form.elements["arg.branch"].value = from.elements["arg.branch"]?.value || "";
		const told = page.querySelector("#conflict h2, .notice-bad:not(.problems) p") || !field.matches(".wrong") && page.querySelector("#problems ul");
		if (told) {
			const says = document.createElement("p");
			says.className = "filter-error";
			says.setAttribute("role", "alert");
			says.textContent = told.textContent;
			const theirs = [...page.querySelectorAll("#conflict tbody tr")].find(it => it.dataset.property === propertyOf(cell));
			if (page.getElementById("conflict")) says.textContent += `${theirs ? `: it is ${theirs.cells[1].textContent.trim()} now` : ""}. Save again to write yours, or leave it with Escape.`;
			form.append(says);
		}
		form.append(field);
		form.insertAdjacentHTML("beforeend", '<p class="buttons"><button class="small primary">Save</button><button class="small" data-all title="Ctrl-Enter">Save in all</button><button class="small" type="button" data-leave>Cancel</button></p>');
		cell.replaceChildren(form);
		count();
		window.htmx?.process(form);
		document.dispatchEvent(new CustomEvent("trails:added"));
		const control = form.querySelector("[aria-invalid=true]") || field.querySelector("input:checked") || field.querySelector("input:not([type=hidden]), select, textarea");
		control?.focus();
		control?.select?.();
		return true;
	}

	function leave(cell) {
		cell.replaceChildren(...held.get(cell) || []);
		held.delete(cell);
		cell.parentElement.removeAttribute("data-keep");
		focus(cell);
	}

	document.addEventListener("click", e => {
		if (e.target.closest?.("[data-leave]")) leave(cellOf(e.target));
	});
	document.addEventListener("keydown", e => {
		const form = e.target.closest?.(".cell-edit");
		if (!form || e.defaultPrevented) return;
		const open = e.target.getAttribute("aria-expanded") === "true";
		const all = form.querySelector("[data-all]:not([hidden])");
		if (e.key === "Escape" && !open) leave(cellOf(form));
		else if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && all) form.requestSubmit(all);
		else if (e.key === "Enter" && (e.target.matches("select, [type=radio], [type=checkbox]") || e.target.matches("textarea") && (e.ctrlKey || e.metaKey))) form.requestSubmit();
		else return;
		e.preventDefault();
	});
	document.addEventListener("submit", async e => {
		if (!e.target.matches(".cell-edit")) return;
		e.preventDefault();
		const form = e.target, cell = cellOf(form), selected = document.getElementById("selected");
		const all = e.submitter?.matches("[data-all]") ? selected : null;
		if (form.getAttribute("aria-busy")) return;
		form.setAttribute("aria-busy", "true");
		const sent = new FormData(form);
		if (all) setIn(sent, ticked(), propertyOf(cell));
		let page = null, done = false;
		try {
			const answer = await fetch(all ? all.action : form.action, { method: "POST", body: new URLSearchParams(sent) });
			done = answer.redirected && /\/(done|commits)\/[^/]+$/.test(new URL(answer.url).pathname);
			page = await parse(answer);
		} catch (e) { /* below */ }
		form.removeAttribute("aria-busy");
		if (done) await saved(cell, page, all ? ticked().map(rowOf) : [cell.parentElement]);
		else if (page?.querySelector(".sign-in") && selected) { // which keeps what was typed, and comes back to what would change
			if (!all) setIn(sent, [cell.parentElement.querySelector(".tick input")], propertyOf(cell));
			ask(selected, sent);
		}
		else if (page && all && page.getElementById("proposal") && !whyNot(page)) ask(all, sent);
		else if (!page || !(all ? refused(form, page) : show(cell, page))) tell("It was not saved, and what you wrote is still here: the server did not answer as it should. Try again.");
	});

	// setIn makes of a cell's form that of the rows that are ticked, with the field in the place of a text.
	function setIn(sent, boxes, property) {
		for (const name of [...sent.keys()]) if (name.startsWith("was.") || name === "arg.branch") sent.delete(name);
		for (const box of boxes) sent.append("node", box.value);
		sent.set("change", "set");
		sent.set("property", property);
	}

	const rowOf = box => box.closest("tr");

	const whyNot = page => page.querySelector("main :is([role=alert], .notice-bad p)");

	// refused says in a cell why all rows that are ticked were not changed.
	function refused(form, page) {
		const why = whyNot(page);
		if (!why) return false;
		form.querySelector(".filter-error")?.remove();
		form.insertAdjacentHTML("afterbegin", '<p class="filter-error" role="alert"></p>');
		form.firstChild.textContent = [why, ...page.querySelectorAll("#not-fitting li")].map(it => it.textContent).join(" ");
		return true;
	}

	// ask leads to the page that asks before as much goes.
	function ask(all, sent) {
		const form = document.createElement("form");
		form.method = "post";
		form.action = all.action;
		for (const [name, value] of sent) {
			if (name.startsWith("_")) continue;
			form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
		}
		form.hidden = true;
		document.body.append(form);
		form.submit();
	}

	function tell(text, undo) {
		const line = document.getElementById("edited");
		line.textContent = text;
		if (undo) line.append(" ", undo);
	}

	// saved shows rows as they are now, and leads to the page that takes the change back.
	async function saved(cell, done, rows) {
		const row = cell.parentElement, at = cell.cellIndex, title = titleOf(cell);
		leave(cell);
		let fresh = null;
		try {
			fresh = await parse(await fetch(location.href, { headers: { Accept: "text/html" } }));
		} catch (e) { /* the rows stay as they were until the page is current again */ }
		const now = new Map([...fresh?.querySelectorAll(".list-table tbody tr") || []].map(it => [it.dataset.key, it]));
		let gone = 0;
		for (const old of rows) {
			const it = now.get(old.dataset.key);
			if (!it) { gone++; continue; }
			it.querySelectorAll(".tick input").forEach((box, i) => { box.checked = old.querySelectorAll(".tick input")[i]?.checked; });
			old.replaceWith(document.adoptNode(it));
		}
		tidy();
		if (now.has(row.dataset.key)) focus(now.get(row.dataset.key).cells[at]);
		const undo = done.querySelector("a[href*='/admin/undo?']");
		const changed = rows.length > 1 ? `${title} of ${rows.length} rows is changed` : `${title} is changed`;
		const left = !gone ? "" : rows.length > 1 ? `; ${gone} of them are not among these any more` : "; its row is not among these any more";
		tell(undo ? `${changed}${left}.` : `${title} is as it was.`, undo && document.adoptNode(undo));
	}

	tidy();
	new MutationObserver(tidy).observe(document.body, { childList: true, subtree: true, attributeFilter: ["role", "tabindex"] });
})();
