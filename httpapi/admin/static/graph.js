// Draws a neighbourhood with cytoscape. The page lists the same nodes and links.
"use strict";
(() => {
	const box = document.getElementById("picture");
	if (!box) return;
	const small = 90; // nodes up to which there is room for every label
	let cy = null, shown = "";

	// color resolves a colour of the style sheet in the current theme.
	function color(name, className) {
		const probe = document.createElement("span");
		if (className) probe.className = className;
		probe.hidden = true;
		document.body.append(probe);
		probe.style.color = "var(" + name + ")";
		const value = getComputedStyle(probe).color;
		probe.remove();
		return value;
	}

	const full = box.classList.contains("full");

	function style(count) {
		const text = color("--text"), line = color("--line-strong"), panel = color("--panel"), accent = color("--accent");
		const crowded = count > 300;
		const sheet = [
			{ selector: "node", style: {
				width: crowded ? 12 : 16, height: crowded ? 12 : 16, label: "data(label)", color: text, "font-size": 11,
				"font-family": getComputedStyle(document.body).fontFamily, "text-valign": "bottom", "text-margin-y": 4,
				"text-wrap": "ellipsis", "text-max-width": full ? 130 : 84, "min-zoomed-font-size": full ? 7 : 8,
				"text-outline-color": panel, "text-outline-width": crowded ? 0 : 2, "border-width": 0,
			} },
			{ selector: "edge", style: {
				width: 1, "line-color": line, "line-opacity": crowded ? 0.4 : 0.75, "curve-style": crowded ? "haystack" : "bezier",
				"target-arrow-color": line, "target-arrow-shape": crowded ? "none" : "triangle", "arrow-scale": 0.7,
				label: count > 60 || !full ? "" : "data(property)", "font-size": 9, color: color("--faint"), "min-zoomed-font-size": 9,
				"text-rotation": "autorotate", "text-outline-color": panel, "text-outline-width": 2,
			} },
			{ selector: ".root", style: { width: 26, height: 26, "font-weight": 600, "font-size": 13, "border-width": 3, "border-color": accent } },
			{ selector: ".near", style: { "line-color": accent, "target-arrow-color": accent, "line-opacity": 1, width: 2 } },
			{ selector: "node:selected, node.over", style: { "border-width": 3, "border-color": accent } },
		];
		for (let i = 0; i < 10; i++) {
			sheet.push({ selector: "node[hue=" + i + "]", style: { "background-color": color("--hue", "hue-" + i) } });
		}
		return sheet;
	}

	function elements(graph) {
		const known = new Set(graph.nodes.map(n => n.id));
		const nodes = graph.nodes.map(n => ({ group: "nodes", data: n, classes: n.id === graph.root ? "root" : "" }));
		const edges = (graph.edges || []).filter(e => known.has(e.from) && known.has(e.to))
			.map((e, i) => ({ group: "edges", data: { id: "edge" + i, source: e.from, target: e.to, property: e.property } }));
		return [...nodes, ...edges];
	}

	// rings places nodes around the root by distance, each near the node that leads
	// to it; a full ring goes on in the next.
	function rings(graph) {
		const few = graph.nodes.length <= small;
		const gap = !few ? 62 : full ? 140 : 100, room = !few ? 34 : full ? 110 : 70, at = {}, angles = { [graph.root]: 0 };
		const depths = new Map(graph.nodes.map(n => [n.id, n.depth])), leads = {};
		for (const e of graph.edges || []) {
			if (depths.get(e.to) === depths.get(e.from) + 1) leads[e.to] ??= e.from;
			if (depths.get(e.from) === depths.get(e.to) + 1) leads[e.from] ??= e.to;
		}
		const order = (a, b) => (angles[leads[a.id]] || 0) - (angles[leads[b.id]] || 0) || a.type.localeCompare(b.type) || a.label.localeCompare(b.label);
		const deepest = Math.max(...depths.values());
		let radius = 0;
		for (let depth = 0; depth <= deepest; depth++) {
			const nodes = graph.nodes.filter(n => n.depth === depth).sort(order);
			if (depth > 0 && nodes.length <= 20) radius = Math.max(radius, nodes.length * room / (2 * Math.PI));
			for (let from = 0; from < nodes.length;) {
				const fits = radius === 0 ? 1 : Math.max(6, Math.round(2 * Math.PI * radius / room));
				const ring = nodes.slice(from, from + fits);
				ring.forEach((n, i) => {
					const angle = angles[n.id] = 2 * Math.PI * (i + 0.5 * (depth % 2)) / ring.length;
					at[n.id] = { x: radius * Math.sin(angle), y: -radius * Math.cos(angle) };
				});
				from += ring.length;
				radius += gap;
			}
			if (!few) radius += gap / 2;
		}
		return at;
	}

	// place stretches few nodes to the picture's shape and fits them all in.
	function place(graph) {
		cy.layout({ name: "preset", positions: rings(graph) }).run();
		const shape = box.clientWidth / box.clientHeight;
		if (graph.nodes.length <= small) {
			const [x, y] = [Math.max(1, Math.min(shape, 1.9)), Math.max(1, Math.min(1 / shape, 1.6))];
			cy.nodes().positions(n => ({ x: n.position("x") * x, y: n.position("y") * y }));
		}
		cy.fit(undefined, full ? 30 : 16);
		if (cy.zoom() > 1.3) { cy.zoom(1.3); cy.center(); }
	}

	function draw(graph) {
		if (cy) cy.destroy();
		box.replaceChildren();
		const many = graph.nodes.length > 300;
		cy = cytoscape({
			container: box, elements: elements(graph), style: style(graph.nodes.length), layout: { name: "null" },
			minZoom: 0.03, maxZoom: 3, textureOnViewport: many, hideEdgesOnViewport: many, pixelRatio: many ? 1 : "auto",
			autoungrabify: many, boxSelectionEnabled: false, userZoomingEnabled: full, userPanningEnabled: full,
		});
		place(graph);
		cy.on("tap", "node", e => { const href = e.target.data("href"); if (href) location.href = href; });
		cy.on("mouseover", "node", e => { e.target.addClass("over").connectedEdges().addClass("near"); box.style.cursor = e.target.data("href") ? "pointer" : ""; });
		cy.on("mouseout", "node", e => { e.target.removeClass("over").connectedEdges().removeClass("near"); box.style.cursor = ""; });
		box.dataset.drawn = graph.nodes.length;
	}

	// controls are buttons beside the picture, for hands without a wheel.
	function controls() {
		const bar = document.createElement("div");
		bar.className = "zoom";
		const middle = () => ({ x: box.clientWidth / 2, y: box.clientHeight / 2 });
		const zoom = by => cy && cy.zoom({ level: cy.zoom() * by, renderedPosition: middle() });
		for (const [sign, name, act] of [["+", "Zoom in", () => zoom(1.4)], ["−", "Zoom out", () => zoom(1 / 1.4)], ["⤢", "Show all", () => cy && cy.fit(undefined, 30)]]) {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = sign;
			button.title = name;
			button.setAttribute("aria-label", name);
			button.addEventListener("click", act);
			bar.append(button);
		}
		bar.dataset.keep = "";
		box.after(bar);
		// A wheel scrolls the page, as everywhere, and zooms with Ctrl.
		box.parentElement.addEventListener("wheel", e => { if (!e.ctrlKey && !e.metaKey) e.stopPropagation(); }, { capture: true, passive: true });
	}

	async function load() {
		try {
			if (!cy) box.querySelector(".wait").textContent = "Drawing…";
			const answer = await fetch(box.dataset.graph, { headers: { Accept: "application/json" } });
			if (!answer.ok) throw new Error(answer.status);
			const text = await answer.text();
			if (text === shown) return;
			shown = text;
			draw(JSON.parse(text));
		} catch (e) {
			if (!cy) box.querySelector(".wait").textContent = "The picture could not be loaded.";
		}
	}

	const restyle = () => { if (cy) cy.style(style(cy.nodes().length)); };
	document.addEventListener("trails:refreshed", load);
	document.addEventListener("trails:theme", restyle);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
	if (full) controls();
	load();
})();
