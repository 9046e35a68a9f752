#include "urdf/urdf_tree.h"

#include "model/name_suggestion.h"
#include "urdf/urdf_attribute.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Everything that only the building needs. */
struct builder {
  const struct urdf_document *document;
  struct urdf_tree *tree;
  struct message *error;
  long *first_child, *next_sibling; /* [n_links] links, in the order of their joints; -1: none */
};

static enum status no_memory(struct message *error) {
  message_set(error, "1:1: no memory for the tree of links");
  return STATUS_NO_MEMORY;
}

static long *array_of_none(size_t count) {
  long *array = malloc((count + 1) * sizeof(*array));
  for (size_t i = 0; array != NULL && i < count; i++) {
    array[i] = -1;
  }
  return array;
}

static enum status take_arrays(struct builder *b) {
  const size_t n = b->document->n_links;
  b->tree->joint_above = array_of_none(n);
  b->tree->parent = array_of_none(n);
  b->tree->order = calloc(n + 1, sizeof(*b->tree->order));
  b->first_child = array_of_none(n);
  b->next_sibling = array_of_none(n);
  const bool all = b->tree->joint_above != NULL && b->tree->parent != NULL &&
                   b->tree->order != NULL && b->first_child != NULL && b->next_sibling != NULL;
  return all ? STATUS_OK : no_memory(b->error);
}

static enum status repeated(const struct builder *b, const char *kind, const char *name,
                            const struct xml_place *place, const struct xml_place *earlier) {
  message_set(b->error,
              "%lu:%lu: %s '%s': the name is taken by the %s at %lu:%lu; give one of them another",
              place->line, place->column, kind, name, kind, earlier->line, earlier->column);
  return STATUS_BAD_ARGUMENT;
}

static enum status index_names(struct builder *b) {
  const struct urdf_document *d = b->document;
  if (d->n_links == 0) {
    message_set(b->error, "1:1: no <link>");
    return STATUS_BAD_ARGUMENT;
  }
  if (name_index_init(&b->tree->links, d->link->name, d->n_links, sizeof(*d->link)) != STATUS_OK ||
      (d->n_joints > 0 && name_index_init(&b->tree->joints, d->joint->name, d->n_joints,
                                          sizeof(*d->joint)) != STATUS_OK)) {
    return no_memory(b->error);
  }
  size_t earlier = 0;
  long again = name_index_repeated(&b->tree->links, &earlier);
  if (again >= 0) {
    return repeated(b, "link", d->link[again].name, &d->link[again].place, &d->link[earlier].place);
  }
  again = name_index_repeated(&b->tree->joints, &earlier);
  if (again >= 0) {
    return repeated(b, "joint", d->joint[again].name, &d->joint[again].place,
                    &d->joint[earlier].place);
  }
  return STATUS_OK;
}

__attribute__((format(printf, 3, 4))) static enum status
refuse_joint(const struct builder *b, const struct urdf_joint *joint, const char *format, ...) {
  struct message what;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what.text, sizeof(what.text), format, arguments);
  va_end(arguments);
  message_set(b->error, "%lu:%lu: joint '%s': %.300s", joint->place.line, joint->place.column,
              joint->name, what.text);
  return STATUS_BAD_ARGUMENT;
}

static enum status no_such_link(const struct builder *b, const struct urdf_joint *joint,
                                const char *end, const char *name) {
  char meant[NAME_SUGGESTION_SIZE];
  suggest_of(name, b->document->link[0].name, b->document->n_links, sizeof(b->document->link[0]),
             meant);
  return refuse_joint(b, joint, "%s link '%s' does not exist%s", end, name, meant);
}

/* Enters joint `j` above its child and the child in front of its parent's other children. */
static enum status connect(struct builder *b, size_t j) {
  const struct urdf_joint *joint = &b->document->joint[j];
  /* both links by their names */
  const long parent = name_index_find(&b->tree->links, joint->parent);
  const long child = name_index_find(&b->tree->links, joint->child);
  if (parent < 0) {
    return no_such_link(b, joint, "parent", joint->parent);
  }
  if (child < 0) {
    return no_such_link(b, joint, "child", joint->child);
  }
  if (parent == child) {
    return refuse_joint(b, joint, "parent and child are the same link '%s'", joint->child);
  }
  /* a tree: nobody above the child yet */
  const long other = b->tree->joint_above[child];
  if (other >= 0) {
    return refuse_joint(b, &b->document->joint[other],
                        "child link '%s' is also the child of joint '%s': a link has one parent",
                        joint->child, joint->name);
  }
  /* the child, in front of its siblings */
  b->tree->joint_above[child] = (long)j;
  b->tree->parent[child] = parent;
  b->next_sibling[child] = b->first_child[parent];
  b->first_child[parent] = child;
  return STATUS_OK;
}

/* Backwards, because each child goes in front of those that are there. */
static enum status connect_all(struct builder *b) {
  enum status status = STATUS_OK;
  for (size_t j = b->document->n_joints; j-- > 0 && status == STATUS_OK;) {
    status = connect(b, j);
  }
  return status;
}

/* Names the cycle that a walk upwards from `link` ends in; it never meets a root. */
static enum status refuse_cycle(const struct builder *b, size_t link) {
  const long *parent = b->tree->parent;
  long at = (long)link;
  for (size_t i = 0; i < b->document->n_links; i++) { /* after n steps surely inside the cycle */
    at = parent[at];
  }
  /* once around */
  char names[256] = "";
  size_t used = 0;
  const long start = at;
  do {
    const int wrote =
        snprintf(names + used, sizeof(names) - used, "'%s' <- ", b->document->link[at].name);
    used += (size_t)wrote;
    at = parent[at];
  } while (at != start && used < sizeof(names));
  const struct urdf_link *first = &b->document->link[start];
  message_set(b->error, "%lu:%lu: link '%s': the joints form a cycle: %s%s", first->place.line,
              first->place.column, first->name, names, used < sizeof(names) ? "and again" : "...");
  return STATUS_BAD_ARGUMENT;
}

static enum status find_root(const struct builder *b, size_t *root) {
  const struct urdf_document *d = b->document;
  size_t n_roots = 0, second = 0;
  for (size_t i = 0; i < d->n_links; i++) {
    if (b->tree->parent[i] < 0) {
      *(n_roots == 0 ? root : &second) = n_roots < 2 ? i : second;
      n_roots++;
    }
  }
  /* no root at all: every link hangs in a cycle */
  if (n_roots == 0) {
    return refuse_cycle(b, 0);
  }
  if (n_roots > 1) {
    const struct urdf_link *link = &d->link[second];
    message_set(b->error,
                "%lu:%lu: link '%s': a second root beside '%s': %zu links have no parent; join "
                "them by fixed joints, or leave out what is no part of the robot",
                link->place.line, link->place.column, link->name, d->link[*root].name, n_roots);
    return STATUS_BAD_ARGUMENT;
  }
  return STATUS_OK;
}

/* Depth first without recursion: down to the first child, else to the next sibling of the link or
 * of the nearest ancestor that has one. */
static void visit(struct builder *b, size_t base) {
  long at = (long)base;
  while (at >= 0) {
    b->tree->order[b->tree->n_order++] = (size_t)at;
    long next = b->first_child[at];
    /* no child: upwards until there is a sibling */
    while (next < 0 && at >= 0 && (size_t)at != base) {
      next = b->next_sibling[at];
      at = b->tree->parent[at];
    }
    at = next;
  }
}

bool urdf_joint_is_loose(const struct urdf_document *document, const struct urdf_joint *joint) {
  if (urdf_joint_moves(joint->type) || joint->type == URDF_FIXED) {
    return false;
  }
  /* what is above it: the root, with this child alone, and nothing to weigh */
  bool alone = joint->type == URDF_FLOATING;
  for (size_t j = 0; j < document->n_joints && alone; j++) {
    const struct urdf_joint *other = &document->joint[j];
    alone = strcmp(other->child, joint->parent) != 0 &&
            (other == joint || strcmp(other->parent, joint->parent) != 0);
  }
  for (size_t i = 0; i < document->n_links && alone; i++) {
    const struct urdf_link *link = &document->link[i];
    alone = !link->has_inertial || strcmp(link->name, joint->parent) != 0;
  }
  return !alone;
}

/* A floating joint may stand only between a bare root and its only child, the base. */
static enum status check_floating(const struct builder *b, size_t root, size_t *base) {
  const struct urdf_document *d = b->document;
  *base = root;
  for (size_t j = 0; j < d->n_joints; j++) {
    const struct urdf_joint *joint = &d->joint[j];
    if (urdf_joint_is_loose(d, joint)) {
      return refuse_joint(
          b, joint, "a %s joint is read %swhere robot.locked names it and holds it fast",
          joint->type == URDF_PLANAR ? "planar" : "floating",
          joint->type == URDF_PLANAR ? ""
                                     : "between a root without <inertial> and its only child, or ");
    }
    if (joint->type == URDF_FLOATING) {
      *base = (size_t)name_index_find(&b->tree->links, joint->child);
    }
  }
  return STATUS_OK;
}

/* Some link was not reached: with one root and one parent each, it hangs from a cycle. */
static enum status check_reached(const struct builder *b, size_t root, size_t base) {
  const size_t n = b->document->n_links;
  if (b->tree->n_order + (base != root) == n) {
    return STATUS_OK;
  }
  bool *reached = calloc(n, sizeof(*reached));
  if (reached == NULL) {
    return no_memory(b->error);
  }
  /* the first that was not visited tells the cycle */
  reached[root] = true;
  for (size_t i = 0; i < b->tree->n_order; i++) {
    reached[b->tree->order[i]] = true;
  }
  size_t lost = 0;
  while (reached[lost]) {
    lost++;
  }
  free(reached);
  return refuse_cycle(b, lost);
}

static enum status build(struct builder *b) {
  size_t root = 0, base = 0;
  enum status status = index_names(b);
  if (status == STATUS_OK) {
    status = connect_all(b);
  }
  if (status == STATUS_OK) {
    status = find_root(b, &root);
  }
  if (status == STATUS_OK) {
    status = check_floating(b, root, &base);
  }
  if (status == STATUS_OK) {
    visit(b, base);
    status = check_reached(b, root, base);
  }
  return status;
}

enum status urdf_tree_build(const struct urdf_document *document, struct urdf_tree *tree,
                            struct message *error) {
  struct urdf_tree result = {0};
  struct builder builder = {.document = document, .tree = &result, .error = error};
  enum status status = take_arrays(&builder);
  if (status == STATUS_OK) {
    status = build(&builder);
  }
  free(builder.first_child);
  free(builder.next_sibling);
  if (status != STATUS_OK) {
    urdf_tree_free(&result);
    return status;
  }
  *tree = result;
  return STATUS_OK;
}

void urdf_tree_free(struct urdf_tree *tree) {
  name_index_free(&tree->links);
  name_index_free(&tree->joints);
  free(tree->joint_above);
  free(tree->parent);
  free(tree->order);
  *tree = (struct urdf_tree){0};
}

/* -- joints that follow others ---------------------------------------------------------------- */

enum status urdf_mimic_resolve(const struct urdf_document *document, const struct urdf_tree *tree,
                               size_t j, struct urdf_mimic *mimic, struct message *error) {
  struct urdf_mimic result = {.leader = j, .ratio = 1.0, .offset = 0.0};
  const struct xml_element element = {.name = "mimic", .place = document->joint[j].mimic_place};
  const struct urdf_cursor at = {&element, "joint", document->joint[j].name, error};
  for (size_t steps = 0; urdf_joint_follows(&document->joint[result.leader]); steps++) {
    const struct urdf_joint *follower = &document->joint[result.leader];
    const long leader = name_index_find(&tree->joints, follower->mimic);
    if (leader < 0) {
      return urdf_refuse(&at, STATUS_BAD_ARGUMENT, "joint '%s' does not exist", follower->mimic);
    }
    if (steps >= document->n_joints) {
      return urdf_refuse(&at, STATUS_BAD_ARGUMENT, "following '%s' leads back to itself",
                         document->joint[j].mimic);
    }
    /* q_j = ratio (multiplier q + offset') + offset */
    result.offset += result.ratio * follower->offset;
    result.ratio *= follower->multiplier;
    result.leader = (size_t)leader;
  }
  if (fabs(result.ratio) > URDF_MAX_FACTOR || fabs(result.offset) > URDF_MAX_FACTOR) {
    return urdf_refuse(&at, STATUS_OUT_OF_RANGE,
                       "following '%s' to the end gives ratio %g and offset %g, beyond +-%g",
                       document->joint[j].mimic, result.ratio, result.offset, URDF_MAX_FACTOR);
  }
  *mimic = result;
  return STATUS_OK;
}
