// The canvas: where on the page it lies, and how many pixels are drawn of it.
//
// With a graphics processor it fills the page behind the panels. Without one each pixel costs, to draw and to put
// together with the panels that lie above it: then it has the room that they leave free.

const SLOW_S = 1 / 28; // between two pictures: coarser beyond
const FAST_S = 1 / 50; // finer again below
const PATIENCE = 300;  // pictures as fast as that
const COARSEST = 0.5;  // pixels drawn for one of the screen's, a side
const GAP = 10;        // pixels of the screen, to the panels

function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl?.getExtension("WEBGL_debug_renderer_info");
  return name ? /swiftshader|llvmpipe|softpipe|software/i.test(gl.getParameter(name.UNMASKED_RENDERER_WEBGL)) : false;
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.software = drawnBySoftware();
    this.resolution = this.software ? 1 : Math.min(window.devicePixelRatio, 2);
    this.finest = this.resolution;
    this.slow = FAST_S;
    this.steady = 0;
    this.moved = true;
    const measure = () => this.measure();
    window.addEventListener("resize", measure);
    document.querySelectorAll("header, aside, footer").forEach((panel) => new ResizeObserver(measure).observe(panel));
    measure();
  }

  // Only when something has another size: to ask the page for one costs its layout.
  measure() {
    const box = (name) => document.querySelector(name).getBoundingClientRect();
    const page = { width: window.innerWidth, height: window.innerHeight };
    const left = box(".left").right, top = box("header").bottom;
    const right = box(".right").left || page.width, bottom = box("footer").top || page.height; // 0: not shown
    const free = this.software;
    this.left = free ? left + GAP : 0;
    this.top = free ? top + GAP : 0;
    this.width = Math.max(free ? right - left - 2 * GAP : page.width, 1);
    this.height = Math.max(free ? bottom - top - 2 * GAP : page.height, 1);
    // the middle of what is free, from that of the canvas, in halves of it
    this.room = (bottom - top) / this.height; // share of its height that is free
    this.beside = free ? [0, 0] : [(left + right) / page.width - 1, 1 - (top + bottom) / page.height];
    Object.assign(this.canvas.style, {
      left: `${this.left}px`, top: `${this.top}px`, width: `${this.width}px`, height: `${this.height}px` });
    this.moved = true;
  }

  // The canvas gets as many pixels as are to be drawn.
  fit() {
    const width = Math.round(this.width * this.resolution), height = Math.round(this.height * this.resolution);
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
  }

  // Told how long each of many pictures one behind the other took: on a slow machine the next are coarser, and finer
  // again when it has had time for a while.
  pace(seconds) {
    this.slow = 0.9 * this.slow + 0.1 * Math.min(seconds, 0.5);
    this.steady = this.slow < FAST_S ? this.steady + 1 : 0;
    if (this.slow > SLOW_S && this.resolution > COARSEST) this.become(Math.max(0.8 * this.resolution, COARSEST));
    if (this.steady > PATIENCE && this.resolution < this.finest) this.become(Math.min(1.25 * this.resolution, this.finest));
  }

  become(resolution) {
    this.resolution = resolution;
    this.slow = 0.5 * (SLOW_S + FAST_S);
    this.steady = 0;
  }

  // From shares of the canvas to pixels of the page.
  onPage([x, y]) {
    return [this.left + x * this.width, this.top + y * this.height];
  }
}
