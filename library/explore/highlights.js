/* What belongs together: elements of all panes, by the nodes and the lines that they stand for. */
const data = JSON.parse(document.getElementById('data').textContent);
const rowsOfColumns = columns => Object.values(columns).length === 0 ? [] : Object.values(columns)[0].map((_, index) =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[index]])));
const lastPass = data.steps.length - 1;
data.steps.push(...data.gradient);
data.nodes = rowsOfColumns(data.nodes);
data.rows = Object.fromEntries(rowsOfColumns(data.rows).map(row => [row.node, {...row, why: data.reasons[row.why]}]));

function make(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const MOST_OF_A_LINE = 500;  // a line with more elements in a pane, such as an unrolled loop, is no hint

const highlights = (() => {
  const panes = new Map();  // name of the pane -> {nodes, spots}: lists of elements by number
  const keys = new WeakMap();
  let lit = [], pinned = null;

  function reset(pane) { panes.set(pane, {nodes: new Map(), spots: new Map()}); }

  function enter(pane, element, nodes, spots) {
    if (!panes.has(pane)) reset(pane);
    const own = [...new Set([...spots, ...nodes.map(node => data.nodes[node].spot)])].filter(spot => spot !== null);
    keys.set(element, {nodes, spots: own});
    const tables = panes.get(pane);
    for (const [table, numbers] of [[tables.nodes, nodes], [tables.spots, own]]) {
      for (const number of numbers) {
        if (!table.has(number)) table.set(number, []);
        table.get(number).push(element);
      }
    }
  }

  /* An element that points at lines, and is not lit when others do. */
  function point(element, spots) { keys.set(element, {nodes: [], spots: spots.filter(spot => spot !== null)}); }

  function put(element, name) {
    element.classList.add(name);
    lit.push(element);
  }

  function clear() {
    for (const element of lit) element.classList.remove('lit', 'strong');
    lit = [];
  }

  /* How much else an element stands for: nodes where both have some, or else lines of source. */
  function others(key, own) {
    const [all, wanted] = key.nodes.length && own.nodes.size ? [key.nodes, own.nodes] : [key.spots, own.spots];
    return all.reduce((count, number) => count + !wanted.has(number), 0);
  }

  /* What belongs to it, and to the least else, is lit strongly in each pane; what its lines have besides, weakly. */
  function light(element) {
    clear();
    const key = element && keys.get(element);
    if (!key) return;
    const own = {nodes: new Set(key.nodes), spots: new Set(key.spots)};
    for (const tables of panes.values()) {
      const belonging = new Set(key.nodes.flatMap(node => tables.nodes.get(node) || []));
      for (const spot of key.spots) {
        const ofLine = tables.spots.get(spot) || [];
        const isTooMany = own.nodes.size > 0 && ofLine.length > MOST_OF_A_LINE;
        for (const other of ofLine) {
          if (own.nodes.size === 0 || keys.get(other).nodes.length === 0) belonging.add(other);
          else if (!isTooMany && !belonging.has(other)) put(other, 'lit');
        }
      }
      const counts = new Map([...belonging].map(other => [other, others(keys.get(other), own)]));
      const least = Math.min(...counts.values());
      for (const [other, count] of counts) put(other, count === least ? 'strong' : 'lit');
    }
    put(element, 'strong');
  }

  function pin(element) {
    pinned = pinned === element ? null : element;
    light(pinned);
    if (pinned) reveal(pinned);
  }

  /* Scrolls every other pane to the first element that is lit, strongly if there is one. */
  function reveal(element) {
    const home = element.closest('.pane');
    for (const pane of document.querySelectorAll('.pane:not([hidden])')) {
      const lines = pane.querySelector('.lines');
      const target = pane !== home && lines && (lines.querySelector('.strong') || lines.querySelector('.lit'));
      if (target) lines.scrollTop = topIn(lines, target) - lines.clientHeight / 3;
    }
    if (home && home.id !== 'pane-graph') view.reveal();
  }

  return {
    reset, enter, point, light, pin, reveal,
    hover: element => { if (!pinned) light(element); },
    leave: () => { if (!pinned) clear(); },
    release: () => { pinned = null; clear(); },
    refresh: () => { if (pinned && !pinned.isConnected) pinned = null; light(pinned); },
    nodesOf: element => (keys.get(element) || {nodes: []}).nodes,
  };
})();
