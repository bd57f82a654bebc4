/* Where the boxes of a graph stand. Graphs inside a loop or a branch are laid out first, in its box. */
const MOST_FOR_DAGRE = 300;  // its time grows faster than the graph: larger ones get plain layers
const BOX = {height: 40, letter: 7.25, margin: 12, title: 26, gap: 18};

const short = (words, most) => words.length > most ? words.slice(0, most - 1) + '\u2026' : words;
const typeOf = value => data.values[value][1];
const nameOf = value => data.values[value][0];

function nodeBox(number, expanded) {
  const node = data.nodes[number];
  const type = short(node.out.map(typeOf).join(', '), 34);
  const box = {node: number, title: node.op, type, inner: [], key: `n${number}`};
  const words = Math.max(node.op.length + (node.subs.length ? 3 : 0), type.length * 0.93, 5);
  box.width = words * BOX.letter + 2 * BOX.margin;
  box.height = BOX.height;
  if (node.subs.length && expanded.has(number)) {
    let x = BOX.margin, height = 0;
    for (const [key, graph] of node.subs) {
      const layout = graphLayout(graph, expanded);
      const width = Math.max(layout.width, (key.length + 2) * BOX.letter);
      box.inner.push({title: key, layout, x, y: BOX.title, width, height: layout.height + BOX.title});
      x += width + BOX.margin;
      height = Math.max(height, layout.height + BOX.title);
    }
    box.width = Math.max(box.width, x);
    box.height = BOX.title + height + BOX.margin;
  }
  return box;
}

/* The boxes of a graph, and the lines between them; constants are told with the node that reads them. */
function graphLayout(number, expanded) {
  const graph = data.graphs[number];
  const boxes = [], links = new Map(), owner = new Map();
  const terminal = (value, title, key) => ({value, title, type: short(typeOf(value), 34), key, inner: [], isEnd: true,
    width: Math.max(title.length, typeOf(value).length * 0.93, 4) * BOX.letter + 2 * BOX.margin, height: BOX.height});
  for (const value of graph.in) {
    const box = terminal(value, short(nameOf(value), 30), `i${value}`);
    owner.set(value, box);
    boxes.push(box);
  }
  const link = (value, box) => {
    const from = owner.get(value);
    if (from && from !== box) links.set(`${from.key} ${box.key}`, {from, to: box});
  };
  for (const inner of graph.nodes) {
    const node = data.nodes[inner];
    if (node.constant) continue;
    const box = nodeBox(inner, expanded);
    for (const value of node.in) link(value, box);
    for (const value of node.out) owner.set(value, box);
    boxes.push(box);
  }
  for (const [index, value] of graph.out.entries()) {
    const box = terminal(value, 'result', `o${number}.${index}`);
    link(value, box);
    boxes.push(box);
  }
  const edges = [...links.values()];
  const arrange = boxes.length > MOST_FOR_DAGRE ? arrangeInLayers : arrangeWithDagre;
  return {...arrange(boxes, edges), boxes, edges, number};
}

function arrangeWithDagre(boxes, edges) {
  const plan = new dagre.graphlib.Graph();
  plan.setGraph({rankdir: 'TB', nodesep: BOX.gap, ranksep: 30, marginx: BOX.margin, marginy: BOX.margin,
    ranker: 'tight-tree'});
  plan.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) plan.setNode(box.key, {width: box.width, height: box.height});
  for (const edge of edges) plan.setEdge(edge.from.key, edge.to.key, {});
  dagre.layout(plan);
  for (const box of boxes) {
    const place = plan.node(box.key);
    box.x = place.x - box.width / 2;
    box.y = place.y - box.height / 2;
  }
  for (const edge of edges) edge.points = plan.edge(edge.from.key, edge.to.key).points;
  const size = plan.graph();
  return {width: Math.max(size.width || 0, 40), height: Math.max(size.height || 0, 20)};
}

/* Each box below those that it reads; full layers are broken into several rows. */
function arrangeInLayers(boxes, edges) {
  const layer = new Map(boxes.map(box => [box, 0])), from = new Map(boxes.map(box => [box, []]));
  for (const edge of edges) from.get(edge.to).push(edge.from);
  const layers = [];
  for (const box of boxes) {  // in the order of the program: what a box reads comes earlier
    const depth = from.get(box).reduce((deepest, one) => Math.max(deepest, layer.get(one) + 1), 0);
    layer.set(box, depth);
    (layers[depth] = layers[depth] || []).push(box);
  }
  let y = BOX.margin, width = 0;
  const middle = box => from.get(box).reduce((sum, one) => sum + one.x, 0) / (from.get(box).length || 1);
  for (const row of layers) {
    if (row[0] && from.get(row[0]).length) row.sort((one, other) => middle(one) - middle(other));
    let x = BOX.margin, tallest = 0;
    for (const box of row) {
      if (x > 6000) { y += tallest + BOX.gap; x = BOX.margin; tallest = 0; }
      box.x = x;
      box.y = y;
      x += box.width + BOX.gap;
      width = Math.max(width, x);
      tallest = Math.max(tallest, box.height);
    }
    y += tallest + 30;
  }
  for (const edge of edges) {
    edge.points = [
      {x: edge.from.x + edge.from.width / 2, y: edge.from.y + edge.from.height},
      {x: edge.to.x + edge.to.width / 2, y: edge.to.y},
    ];
  }
  return {width: width + BOX.margin, height: y};
}
