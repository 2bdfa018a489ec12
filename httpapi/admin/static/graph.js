// Draws a neighbourhood with cytoscape. The page lists the same nodes and links.
"use strict";
(() => {
	const box = document.getElementById("picture");
	if (!box) return;
	const small = 90; // nodes up to which forces place them; beyond, rings by distance
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

	function style(count) {
		const text = color("--text"), line = color("--line-strong"), panel = color("--panel"), accent = color("--accent");
		const crowded = count > 300;
		const sheet = [
			{ selector: "node", style: {
				width: crowded ? 12 : 16, height: crowded ? 12 : 16, label: "data(label)", color: text, "font-size": 11,
				"font-family": getComputedStyle(document.body).fontFamily, "text-valign": "bottom", "text-margin-y": 4,
				"text-wrap": "ellipsis", "text-max-width": 120, "min-zoomed-font-size": 8,
				"text-outline-color": panel, "text-outline-width": crowded ? 0 : 2, "border-width": 0,
			} },
			{ selector: "edge", style: {
				width: 1, "line-color": line, "line-opacity": crowded ? 0.4 : 0.75, "curve-style": crowded ? "haystack" : "bezier",
				"target-arrow-color": line, "target-arrow-shape": crowded ? "none" : "triangle", "arrow-scale": 0.7,
				label: crowded ? "" : "data(property)", "font-size": 9, color: color("--faint"), "min-zoomed-font-size": 9,
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

	// rings places nodes around the root by distance; a full ring goes on in the next.
	// Nodes of one type stand together.
	function rings(graph) {
		const gap = 62, room = 34, at = {};
		let radius = 0;
		const deepest = Math.max(...graph.nodes.map(n => n.depth));
		for (let depth = 0; depth <= deepest; depth++) {
			const nodes = graph.nodes.filter(n => n.depth === depth).sort((a, b) => a.type.localeCompare(b.type) || a.label.localeCompare(b.label));
			let from = 0;
			while (from < nodes.length) {
				const fits = radius === 0 ? 1 : Math.max(6, Math.floor(2 * Math.PI * radius / room));
				const ring = nodes.slice(from, from + fits);
				ring.forEach((n, i) => {
					const angle = 2 * Math.PI * i / ring.length - Math.PI / 2;
					at[n.id] = { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
				});
				from += ring.length;
				radius += gap;
			}
			radius += gap / 2;
		}
		return at;
	}

	function layout(graph) {
		if (graph.nodes.length > small) return { name: "preset", positions: rings(graph), fit: true, padding: 20 };
		if (graph.nodes.length < 3) return { name: "grid", rows: 1, padding: 60 };
		return { name: "cose", animate: false, randomize: false, nodeRepulsion: 9000, idealEdgeLength: 70, numIter: 600, padding: 24, nodeDimensionsIncludeLabels: true };
	}

	function draw(graph) {
		if (cy) cy.destroy();
		box.replaceChildren();
		const many = graph.nodes.length > 300;
		cy = cytoscape({
			container: box, elements: elements(graph), style: style(graph.nodes.length), layout: layout(graph),
			minZoom: 0.03, maxZoom: 3, textureOnViewport: many, hideEdgesOnViewport: many, pixelRatio: many ? 1 : "auto",
			autoungrabify: many, boxSelectionEnabled: false, userZoomingEnabled: box.classList.contains("full"),
		});
		if (cy.zoom() > 1.4) { cy.zoom(1.4); cy.center(); }
		cy.on("tap", "node", e => { const href = e.target.data("href"); if (href) location.href = href; });
		cy.on("mouseover", "node", e => { e.target.addClass("over").connectedEdges().addClass("near"); box.style.cursor = e.target.data("href") ? "pointer" : ""; });
		cy.on("mouseout", "node", e => { e.target.removeClass("over").connectedEdges().removeClass("near"); box.style.cursor = ""; });
		box.dataset.drawn = graph.nodes.length;
	}

	async function load() {
		try {
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
	load();
})();
