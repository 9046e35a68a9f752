#include "robot/cell_mesh.h"

#include <math.h>
#include <stdlib.h>

/* A cell seen from another one. */
struct near {
  size_t at; /* position in the sorted points */
  double distance;
};

enum { CANDIDATES = 64 }; /* nearest cells looked at; a hexagonal layout has 18 within reach */

/* A cell of the link at hand. */
struct point {
  vec3 p, normal; /* link frame */
  double along;   /* m: coordinate along the link's longest direction */
  uint16_t cell;
  double reach;                  /* m */
  struct cell_neighbours wanted; /* positions in the sorted points, nearest first */
};

struct link_cells {
  struct point *point; /* [n] sorted by `along` */
  size_t n;
};

static int compare(double a, double b) {
  return (a > b) - (a < b);
}

/* By place, so that cells at one place come one after the other, and those by number. */
static int by_along(const void *a, const void *b) {
  const struct point *left = a, *right = b;
  const int order[] = {compare(left->along, right->along), compare(left->p.x, right->p.x),
                       compare(left->p.y, right->p.y), compare(left->p.z, right->p.z)};
  for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
    if (order[i] != 0) {
      return order[i];
    }
  }
  return (left->cell > right->cell) - (left->cell < right->cell);
}

/* The axis along which the points vary most. */
static int longest_axis(const struct link_cells *link) {
  double sum[3] = {0}, sum_of_squares[3] = {0};
  for (size_t i = 0; i < link->n; i++) {
    double p[3];
    vec3_to(vec3_sub(link->point[i].p, link->point[0].p), p);
    for (int k = 0; k < 3; k++) {
      sum[k] += p[k];
      sum_of_squares[k] += p[k] * p[k];
    }
  }
  int longest = 0;
  double most = -1.0;
  for (int k = 0; k < 3; k++) {
    const double spread = sum_of_squares[k] - sum[k] * sum[k] / (double)link->n;
    if (spread > most) {
      most = spread;
      longest = k;
    }
  }
  return longest;
}

static void sort_points(struct link_cells *link) {
  /* along the axis in which the cells spread most */
  const int axis = longest_axis(link);
  for (size_t i = 0; i < link->n; i++) {
    double p[3];
    vec3_to(link->point[i].p, p);
    link->point[i].along = p[axis];
  }
  qsort(link->point, link->n, sizeof(*link->point), by_along);
}

static bool face_alike(const struct point *a, const struct point *b) {
  const double cosine_of_120_degrees = -0.5;
  return vec3_dot(a->normal, b->normal) > cosine_of_120_degrees;
}

/* True when one of the last few points, sorted by place, lies where this one does and faces alike.
 * No more than three normals can be 120 degrees apart. */
static bool is_repeated(const struct point *kept, size_t n, const struct point *next) {
  for (size_t back = 1; back <= 3 && back <= n; back++) {
    const struct point *before = &kept[n - back];
    if (vec3_norm(vec3_sub(next->p, before->p)) == 0.0 && face_alike(before, next)) {
      return true;
    }
  }
  return false;
}

/* Of cells that lie at one place and face alike the first stands for all; the others have no
 * neighbours. Thousands of them would otherwise have to be looked at from each of them. */
static void leave_out_repeated(struct link_cells *link, struct cell_neighbours *mesh) {
  size_t kept = 0;
  for (size_t i = 0; i < link->n; i++) {
    if (is_repeated(link->point, kept, &link->point[i])) {
      mesh[link->point[i].cell] = (struct cell_neighbours){0};
    } else {
      link->point[kept++] = link->point[i];
    }
  }
  link->n = kept;
}

/* Keeps the nearest `room` in order of distance, equal distances in order of cell. */
static size_t insert(const struct link_cells *link, struct near *list, size_t count, size_t room,
                     struct near candidate) {
  /* its place among those found, from the far end */
  size_t at = count;
  while (at > 0 && (list[at - 1].distance > candidate.distance ||
                    (list[at - 1].distance == candidate.distance &&
                     link->point[list[at - 1].at].cell > link->point[candidate.at].cell))) {
    at--;
  }
  /* farther than all, and no room */
  if (at == room) {
    return count;
  }
  /* those behind move on; the last may fall out */
  const size_t grown = count < room ? count + 1 : room;
  for (size_t i = grown - 1; i > at; i--) {
    list[i] = list[i - 1];
  }
  list[at] = candidate;
  return grown;
}

/* The nearest points around point `i`, at most `room` and none beyond `reach`, nearest first: walks
 * away from it on both sides until the sorted coordinate alone is too far. */
static size_t find_near(const struct link_cells *link, size_t i, double reach, size_t room,
                        struct near *list) {
  const struct point *self = &link->point[i];
  size_t count = 0;
  for (int side = -1; side <= 1; side += 2) {
    for (size_t k = i + (size_t)side; k < link->n; k += (size_t)side) { /* wraps below 0 */
      const struct point *other = &link->point[k];
      /* once the list is full, only what is nearer than its last */
      const double bound = count == room ? fmin(reach, list[count - 1].distance) : reach;
      if (fabs(other->along - self->along) > bound) {
        break;
      }
      const double distance = vec3_norm(vec3_sub(other->p, self->p));
      if (distance <= bound && face_alike(self, other)) {
        count = insert(link, list, count, room, (struct near){k, distance});
      }
    }
  }
  return count;
}

static void set_reach(const struct link_cells *link, size_t i) {
  struct near list[2];
  const size_t count = find_near(link, i, HUGE_VAL, 2, list);
  link->point[i].reach = count == 0 ? 0.0 : CELL_MESH_REACH * list[count - 1].distance;
}

/* True if no nearer point lies inside the sphere whose poles are point `i` and list[j]. On the
 * sphere counts as inside: of a square's diagonals neither is an edge. */
static bool sphere_is_empty(const struct link_cells *link, const struct near *list, size_t j) {
  const double rounding = 1e-6; /* relative: tables are printed with five decimals or more */
  const vec3 far_end = link->point[list[j].at].p;
  const double diameter = list[j].distance;
  for (size_t k = 0; k < j; k++) {
    /* Thales: inside when the angle over the diameter is not acute */
    const double d = vec3_norm(vec3_sub(link->point[list[k].at].p, far_end));
    if (list[k].distance * list[k].distance + d * d <= diameter * diameter * (1.0 + rounding)) {
      return false;
    }
  }
  return true;
}

static void choose(const struct link_cells *link, size_t i) {
  struct near list[CANDIDATES];
  struct point *self = &link->point[i];
  /* of the near ones those that no other stands between (Gabriel's graph) */
  const size_t count = find_near(link, i, self->reach, CANDIDATES, list);
  self->wanted.count = 0;
  for (size_t j = 0; j < count && self->wanted.count < CELL_NEIGHBOURS; j++) {
    if (list[j].distance <= link->point[list[j].at].reach && sphere_is_empty(link, list, j)) {
      self->wanted.cell[self->wanted.count++] = (uint16_t)list[j].at;
    }
  }
}

static bool wants(const struct point *point, size_t other) {
  for (size_t k = 0; k < point->wanted.count; k++) {
    if (point->wanted.cell[k] == other) {
      return true;
    }
  }
  return false;
}

/* An edge is what both ends want. */
static void write_edges(const struct link_cells *link, struct cell_neighbours *mesh) {
  for (size_t i = 0; i < link->n; i++) {
    const struct point *self = &link->point[i];
    struct cell_neighbours edges = {0};
    for (size_t k = 0; k < self->wanted.count; k++) {
      const struct point *other = &link->point[self->wanted.cell[k]];
      if (wants(other, i)) {
        edges.cell[edges.count++] = other->cell;
      }
    }
    mesh[self->cell] = edges;
  }
}

static void build_link(struct link_cells *link, struct cell_neighbours *mesh) {
  sort_points(link);
  leave_out_repeated(link, mesh);
  for (size_t i = 0; i < link->n; i++) {
    set_reach(link, i);
  }
  for (size_t i = 0; i < link->n; i++) {
    choose(link, i);
  }
  write_edges(link, mesh);
}

/* Gathers a link's cells. */
static size_t gather(const struct skin_cell *cells, size_t n, size_t link, struct point *point) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    if (cells[i].link == link) {
      const mat3 *R = &cells[i].placement.R;
      point[count++] = (struct point){.p = cells[i].placement.p,
                                      .normal = {R->m[0][2], R->m[1][2], R->m[2][2]},
                                      .cell = (uint16_t)i};
    }
  }
  return count;
}

enum status cell_mesh_build(const struct skin_cell *cells, size_t n, struct cell_neighbours *mesh) {
  if (n > ROBOT_MAX_CELLS) {
    return STATUS_OUT_OF_RANGE;
  }
  struct point *point = calloc(n + 1, sizeof(*point));
  if (point == NULL) {
    return STATUS_NO_MEMORY;
  }
  for (size_t link = 0; link <= MODEL_MAX_JOINTS; link++) {
    struct link_cells on_link = {point, gather(cells, n, link, point)};
    if (on_link.n > 0) {
      build_link(&on_link, mesh);
    }
  }
  free(point);
  return STATUS_OK;
}
