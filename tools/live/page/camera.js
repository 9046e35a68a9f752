// Where the picture is taken from: a point looked at, from how far, and from which side.
import { add, projection, scale } from "./transforms.js";

export const FIELD = 0.6; // rad
const NEAREST = 0.3, FARTHEST = 40; // m

export class Camera {
  constructor(canvas) {
    Object.assign(this, { yaw: -0.75, pitch: 0.22, distance: 4, target: [0, 0, 0.8], panned: [0, 0, 0], moved: false });
    this.steer(canvas);
  }

  eye() {
    const { yaw, pitch, distance, target } = this;
    const flat = distance * Math.cos(pitch);
    return add(target, [flat * Math.cos(yaw), flat * Math.sin(yaw), distance * Math.sin(pitch)]);
  }

  // `beside`: where in the picture the target is seen, from its middle, in halves of it.
  matrix(aspect, beside) {
    return projection(this.eye(), this.target, aspect, FIELD, beside);
  }

  // Dragging turns, with shift or another button moves, the wheel comes nearer.
  steer(canvas) {
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) return;
      if (event.buttons > 1 || event.shiftKey) {
        const step = (1.3 * this.distance * FIELD) / canvas.clientHeight;
        const right = [-Math.sin(this.yaw), Math.cos(this.yaw), 0];
        this.panned = add(this.panned, add(scale(-event.movementX * step, right), [0, 0, event.movementY * step]));
      } else {
        this.yaw -= 0.006 * event.movementX;
        this.pitch = Math.min(Math.max(this.pitch + 0.006 * event.movementY, -0.1), 1.5);
      }
      this.moved = true;
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance = Math.min(Math.max(this.distance * Math.exp(0.001 * event.deltaY), NEAREST), FARTHEST);
      this.moved = true;
    }, { passive: false });
  }
}
