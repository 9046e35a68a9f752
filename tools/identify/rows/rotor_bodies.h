/* Rotors as bodies of their own beside a description that has none: there a rotor is part of the
 * link before its joint, and its spin is the joint's rotor inertia.
 *
 *   link = body + rotor where it stands,   rotor inertia of the joint = ratio^2 I_zz
 *
 * Both ways are exact for the mass and for what the joint itself feels; the moments of the spin
 * that are felt across the axis have no place in a description. @eq Wensing17 24 25 */
#ifndef ROTOR_BODIES_H
#define ROTOR_BODIES_H

#include "identify/rows/unknowns.h"

/* What a description has of bodies x: link [links] about the links' origins, and rotor inertia
 * [n_joints] at the joints' side, of those that have a rotor of their own. [any] */
void rotor_bodies_lump(const struct unknowns *unknowns, const double *x, struct inertia *link,
                       double *inertia);

/* The other way: x's bodies of a description. [any] A rotor becomes a cylinder of its inertia
 * (where the description has none, of what its link has about the axis), as heavy as such a motor's
 * and no heavier than what the link before can spare. */
void rotor_bodies_split(const struct unknowns *unknowns, const struct inertia *link,
                        const double *inertia, double *x);

#endif
