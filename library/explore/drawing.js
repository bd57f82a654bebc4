/* The graph as SVG: boxes, lines, zoom, and which loops and branches are open. */
const SVG = 'http://www.w3.org/2000/svg';

function draw(tag, properties, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const SMALL_GRAPH = 150;  // operations; loops and branches of larger ones start closed
const DRAWN_WHOLE = 600;  // boxes; of larger graphs only those in sight are drawn
const MOST_DRAWN = 1200;  // if more are in sight, they are shown as plain areas

class GraphView {
  constructor(holder) {
    this.holder = holder;
    this.step = lastPass;
    this.expanded = new Set();
    this.scale = 1;
    this.x = this.y = 0;
    this.all = [];  // every box, in the order of the program
    this.groups = new Map();  // box -> its element, if it is drawn
    this.active = null;
    this.viewport = draw('g', {});
    this.svg = draw('svg', {role: 'presentation'},
      draw('defs', {}, draw('marker', {id: 'tip', viewBox: '0 0 8 8', refX: '7', refY: '4', markerWidth: '7',
        markerHeight: '7', orient: 'auto'}, draw('path', {class: 'tip', d: 'M0 0L8 4L0 8z'}))),
      this.viewport);
    holder.append(this.svg);
    this.listen();
    if (this.innerNodes().length <= SMALL_GRAPH) this.expandAll();
  }

  root() { return data.steps[this.step].graph; }

  innerNodes(graph = this.root()) {
    return data.graphs[graph].nodes.flatMap(node =>
      [node, ...data.nodes[node].subs.flatMap(([, inner]) => this.innerNodes(inner))]);
  }

  expandAll() {
    for (const node of this.innerNodes()) if (data.nodes[node].subs.length) this.expanded.add(node);
  }

  toggle(node) {
    if (!data.nodes[node].subs.length) return;
    if (!this.expanded.delete(node)) this.expanded.add(node);
    this.render();
  }

  show(step) {
    this.step = step;
    if (this.innerNodes().length <= SMALL_GRAPH) this.expandAll();
    this.render();
    this.fit();
  }

  render() {
    const number = this.active && this.active.node;
    const {added = [], rewired = []} = data.steps[this.step];
    this.changed = new Map([...added.map(node => [node, 'added']), ...rewired.map(node => [node, 'rewired'])]);
    this.layout = graphLayout(this.root(), this.expanded);
    this.all = [...this.flattened(this.layout, 0, 0)];
    forget('graph');
    for (const box of this.all) {
      if (box.isEnd) continue;
      const words = `${box.title} ${box.type} ${data.nodes[box.node].out.map(nameOf).join(' ')}`;
      searchable(this.holder, words, 'graph', () => this.activate(box));
    }
    this.active = null;
    this.drawn = null;
    this.place();
    if (number !== undefined && number !== null) this.activate(this.all.find(box => box.node === number));
  }

  /* The boxes with their places in the whole drawing. */
  * flattened(layout, left, top) {
    for (const box of layout.boxes) {
      Object.assign(box, {left: left + box.x, top: top + box.y});
      yield box;
      for (const inner of box.inner) {
        yield* this.flattened(inner.layout, box.left + inner.x, box.top + inner.y + BOX.title - 8);
      }
    }
  }

  /* Draws what is in sight, with a margin of half the pane. */
  drawVisible() {
    const {boxes, edges} = this.layout;
    const isWhole = boxes.length <= DRAWN_WHOLE;
    const {clientWidth, clientHeight} = this.holder;
    const edge = (place, size, sign) => (-place + (sign > 0 ? 1.5 : -0.5) * size) / this.scale;
    const [left, right] = [edge(this.x, clientWidth, -1), edge(this.x, clientWidth, 1)];
    const [top, bottom] = [edge(this.y, clientHeight, -1), edge(this.y, clientHeight, 1)];
    const isSeen = box => box.x < right && box.x + box.width > left && box.y < bottom && box.y + box.height > top;
    const seen = isWhole ? boxes : boxes.filter(isSeen);
    const key = isWhole ? 'whole' : seen.length ? `${seen[0].key} ${seen.at(-1).key} ${seen.length}` : '';
    if (key === this.drawn) return;
    this.drawn = key;
    highlights.reset('graph');
    this.groups.clear();
    if (!isWhole && seen.length > MOST_DRAWN) {
      this.viewport.replaceChildren(...this.areas(seen));
    } else {
      const near = new Set(seen);
      const lines = isWhole ? edges : edges.filter(({from, to}) => near.has(from) || near.has(to));
      this.viewport.replaceChildren(...this.contents(seen, lines));
    }
    highlights.refresh();
  }

  /* Very many boxes: an area for those that are native, on NumPy, or neither. */
  areas(boxes) {
    const paths = {};
    for (const box of boxes) {
      const row = box.isEnd ? undefined : data.rows[box.node];
      const style = row ? (row.why === null ? 'native' : 'numpy') : 'other';
      (paths[style] = paths[style] || []).push(`M${box.x.toFixed()} ${box.y.toFixed()}h${box.width.toFixed()}v${box.height}` +
        `h-${box.width.toFixed()}z`);
    }
    return Object.entries(paths).map(([style, parts]) => draw('g', {class: style}, draw('path', {class: 'box', d: parts.join('')})));
  }

  contents(boxes, edges) {
    const lines = edges.map(edge => draw('path', {class: 'edge', 'marker-end': 'url(#tip)',
      d: edge.points.map((point, index) => `${index ? 'L' : 'M'}${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join('')}));
    return [...lines, ...boxes.map(box => this.boxOf(box))];
  }

  boxOf(box) {
    const styles = ['node'];
    const row = box.isEnd ? undefined : data.rows[box.node];
    if (row && !box.inner.length) styles.push(row.why === null ? 'native' : 'numpy');
    if (box.inner.length) styles.push('frame');
    if (this.changed.has(box.node)) styles.push(this.changed.get(box.node));
    const group = draw('g', {class: styles.join(' '), transform: `translate(${box.x.toFixed(1)} ${box.y.toFixed(1)})`,
      id: `box-${this.groups.size}`, role: 'option', 'aria-label': this.label(box, row)});
    group.append(draw('rect', {class: 'box', width: box.width, height: box.height, rx: box.isEnd ? 18 : 4}));
    const hasInner = !box.isEnd && data.nodes[box.node].subs.length;
    const where = box.inner.length && row && row.why !== null ? ' \u00b7 NumPy' : '';
    const title = draw('text', {x: BOX.margin, y: 17}, ...(hasInner ? [this.signOf(box), ' '] : []), box.title + where);
    group.append(title);
    if (!box.inner.length) {
      group.append(draw('text', {x: BOX.margin, y: 32, class: 'type'}, box.type));
      if (row && row.why !== null) {
        group.append(draw('text', {x: box.width - 4, y: 11, class: 'type', 'text-anchor': 'end'}, 'NumPy'));
      }
    }
    this.groups.set(box, group);
    group.addEventListener('click', event => {
      event.stopPropagation();
      if (!this.moved) this.choose(box);
    });
    group.addEventListener('mouseover', event => {
      event.stopPropagation();
      highlights.hover(group);
    });
    if (!box.isEnd) {
      highlights.enter('graph', group, [box.node], []);
      group.addEventListener('dblclick', event => {
        event.stopPropagation();
        this.toggle(box.node);
      });
    }
    for (const inner of box.inner) {
      const frame = draw('g', {transform: `translate(${inner.x} ${inner.y})`},
        draw('rect', {class: 'inner', width: inner.width, height: inner.height, rx: 3}),
        draw('text', {x: 8, y: 15, class: 'type'}, inner.title));
      frame.append(draw('g', {transform: `translate(0 ${BOX.title - 8})`}, ...this.contents(inner.layout.boxes, inner.layout.edges)));
      group.append(frame);
    }
    return group;
  }

  /* What opens or closes a loop or a branch when it is clicked. */
  signOf(box) {
    const sign = draw('tspan', {class: 'sign'}, draw('title', {}, 'Open or close'), box.inner.length ? '\u2212' : '+');
    sign.addEventListener('click', event => {
      event.stopPropagation();
      this.toggle(box.node);
    });
    return sign;
  }

  label(box, row) {
    if (box.isEnd) return `${box.title}: ${box.type}`;
    const where = row ? (row.why === null ? ', native' : ', NumPy') : '';
    return `${box.title}: ${box.type}${where}`;
  }

  choose(box) {
    highlights.pin(this.activate(box));
    describe(box.isEnd ? [] : [box.node]);
  }

  /* Makes a box the active one, and brings it into sight; returns its element. */
  activate(box) {
    if (!box) return null;
    if (this.active && this.groups.has(this.active)) this.groups.get(this.active).classList.remove('active');
    this.active = box;
    if (!this.groups.has(box)) this.goTo(box);
    const group = this.groups.get(box);
    group.classList.add('active');
    this.holder.setAttribute('aria-activedescendant', group.id);
    this.bringIntoView(group);
    return group;
  }

  /* Moves to a box, at a size at which it can be read. */
  goTo(box) {
    this.scale = Math.max(this.scale, 0.6);
    this.x = this.holder.clientWidth / 2 - (box.left + box.width / 2) * this.scale;
    this.y = this.holder.clientHeight / 2 - (box.top + Math.min(box.height, 100) / 2) * this.scale;
    this.place();
  }

  bringIntoView(group) {
    const outer = this.holder.getBoundingClientRect(), inner = group.getBoundingClientRect();
    if (inner.left < outer.left || inner.right > outer.right || inner.top < outer.top || inner.bottom > outer.bottom) {
      this.x += outer.left + outer.width / 2 - (inner.left + Math.min(inner.width, outer.width) / 2);
      this.y += outer.top + outer.height / 2 - (inner.top + Math.min(inner.height, outer.height) / 2);
      this.place();
    }
  }

  place() {
    this.viewport.setAttribute('transform', `translate(${this.x} ${this.y}) scale(${this.scale})`);
    this.drawVisible();
  }

  zoom(factor, x = this.holder.clientWidth / 2, y = this.holder.clientHeight / 2) {
    const scale = Math.min(Math.max(this.scale * factor, 0.02), 4);
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.place();
  }

  /* All of it if it stays readable, else the beginning. */
  fit() {
    const {clientWidth, clientHeight} = this.holder;
    const both = Math.min(clientWidth / this.layout.width, clientHeight / this.layout.height);
    this.scale = Math.min(Math.max(both, 0.6), 1);
    const [first] = [...this.layout.boxes].sort((one, other) => one.y - other.y);
    const middle = both >= 0.6 || !first ? this.layout.width / 2 : first.x + first.width / 2;
    this.x = clientWidth / 2 - middle * this.scale;
    this.y = 0;
    this.place();
  }

  /* Moves to the first box that is lit, unless one is in sight. */
  reveal() {
    const lit = [...this.holder.querySelectorAll('.strong')];
    const outer = this.holder.getBoundingClientRect();
    const isSeen = group => {
      const {left, right, top, bottom} = group.getBoundingClientRect();
      return left >= outer.left && right <= outer.right && top >= outer.top && bottom <= outer.bottom;
    };
    if (lit.length && lit.length < 200 && !lit.some(isSeen)) this.bringIntoView(lit.find(one => !one.matches('.frame')) || lit[0]);
  }

  fitAll() {
    const {clientWidth, clientHeight} = this.holder;
    this.scale = Math.min(clientWidth / this.layout.width, clientHeight / this.layout.height, 1);
    this.x = (clientWidth - this.layout.width * this.scale) / 2;
    this.y = 0;
    this.place();
  }

  listen() {
    const holder = this.holder;
    holder.addEventListener('wheel', event => {
      event.preventDefault();
      const edge = holder.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), event.clientX - edge.left, event.clientY - edge.top);
    }, {passive: false});
    holder.addEventListener('pointerdown', event => {
      const start = {x: event.clientX - this.x, y: event.clientY - this.y, left: event.clientX, top: event.clientY};
      this.moved = false;
      const move = moved => {
        if (Math.hypot(moved.clientX - start.left, moved.clientY - start.top) > 4) this.moved = true;
        if (!this.moved) return;
        this.x = moved.clientX - start.x;
        this.y = moved.clientY - start.y;
        this.place();
      };
      window.addEventListener('pointermove', move);
      window.addEventListener('pointerup', () => window.removeEventListener('pointermove', move), {once: true});
    });
    holder.addEventListener('mouseleave', highlights.leave);
    holder.addEventListener('keydown', event => this.pressed(event));
  }

  pressed(event) {
    const at = this.all.indexOf(this.active), last = this.all.length - 1;
    const moves = {ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: last};
    if (event.key in moves) {
      highlights.hover(this.activate(this.all[Math.min(Math.max(moves[event.key], 0), last)]));
    } else if (event.key === 'Enter' && this.active) {
      this.choose(this.active);
    } else if (event.key === ' ' && this.active && !this.active.isEnd) {
      this.toggle(this.active.node);
    } else if (event.key === '+' || event.key === '=') {
      this.zoom(1.25);
    } else if (event.key === '-') {
      this.zoom(0.8);
    } else if (event.key === '0') {
      this.fitAll();
    } else {
      return;
    }
    event.preventDefault();
  }
}
