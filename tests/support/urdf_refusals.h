/* Every way in which a URDF can be wrong, with the exact words that the user gets. */
#ifndef URDF_REFUSALS_H
#define URDF_REFUSALS_H

#include "common/status.h"

#define MOMENTS(xx, xy, xz, yy, yz, zz)                                                            \
  "<inertia ixx='" xx "' ixy='" xy "' ixz='" xz "' iyy='" yy "' iyz='" yz "' izz='" zz "'/>"
#define BALL                 MOMENTS("1", "0", "0", "1", "0", "1")
#define INERTIAL(inside)     "<inertial>" inside "</inertial>"
#define LINK(name, inside)   "<link name='" name "'>" inside "</link>\n"
#define HEAVY(name)          LINK(name, INERTIAL("<mass value='1'/>" BALL))
#define EMPTY(name)          "<link name='" name "'/>\n"
#define BETWEEN(p, c)        "<parent link='" p "'/><child link='" c "'/>"
#define JOINT(n, type, rest) "<joint name='" n "' type='" type "'>" rest "</joint>\n"
#define TURNS(n, p, c)       JOINT(n, "revolute", BETWEEN(p, c))
#define FIXED(n, p, c)       JOINT(n, "fixed", BETWEEN(p, c))
#define ROBOT(inside)        "<robot name='r'>\n" inside "</robot>\n"
/* two good links, one good joint, and something else from line 5 on */
#define ARM(more)            ROBOT(HEAVY("base") HEAVY("arm") TURNS("elbow", "base", "arm") more)
#define ARM_WITH(rest)       ROBOT(HEAVY("base") HEAVY("arm") JOINT("elbow", "revolute", rest))
#define ARM_OF(inside)       ROBOT(HEAVY("base") LINK("arm", inside) TURNS("elbow", "base", "arm"))
#define HAND                 HEAVY("hand") TURNS("wrist", "arm", "hand")
#define SENSOR(n, rest)      "<sensor name='" n "' type='accelerometer'>" rest "</sensor>\n"

#define LETTERS "; & is written &amp; and < is &lt;, a comment holds no --, letters are UTF-8"
#define JOIN    "; join them by fixed joints, or leave out what is no part of the robot"
#define FLOATING                                                                                   \
  "a floating joint is read between a root without <inertial> and its only child, or where "       \
  "robot.locked names it and holds it fast"

struct refusal {
  const char *text;
  enum status status;
  const char *complaint;
};

static const struct refusal refusals[] = {
    /* not a URDF */
    {"", STATUS_BAD_ARGUMENT, "1:1: empty"},
    {"robot", STATUS_BAD_ARGUMENT, "1:1: not well-formed XML: syntax error"},
    {"<robot name='r'>", STATUS_BAD_ARGUMENT,
     "1:17: not well-formed XML: no element found; the file ends here: is it whole?"},
    {"<robot name='r'></robot", STATUS_BAD_ARGUMENT,
     "1:17: not well-formed XML: unclosed token; the file ends here: is it whole?"},
    {"<robot name='r'></robot><robot/>", STATUS_BAD_ARGUMENT,
     "1:25: not well-formed XML: junk after document element; "
     "<?xml ...?> begins a file, and </robot> ends it: are these two?"},
    {"<model name='r'/>", STATUS_BAD_ARGUMENT, "1:1: <model>: a URDF begins with <robot>"},
    {"<robot name='r'/>", STATUS_BAD_ARGUMENT, "1:1: no <link>"},
    {"<robot name='r'><link name='a'></joint></robot>", STATUS_BAD_ARGUMENT,
     "1:34: not well-formed XML: mismatched tag; close the element that is open here"},
    {"<robot name='r'><link name='a' name='b'/></robot>", STATUS_BAD_ARGUMENT,
     "1:32: not well-formed XML: duplicate attribute"},
    {"<robot name='r'>&robot;</robot>", STATUS_BAD_ARGUMENT,
     "1:17: not well-formed XML: undefined entity; entities are not expanded here: xmllint --noent "
     "FILE writes what they stand for"},
    {"<!DOCTYPE robot [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;'>]>\n<robot "
     "name='&b;'/>",
     STATUS_BAD_ARGUMENT,
     "2:1: not well-formed XML: undefined entity; entities are not expanded here: xmllint --noent "
     "FILE writes what they stand for"},
    {"<!DOCTYPE robot SYSTEM 'a.dtd' [\n<!ENTITY a SYSTEM 'file:///etc/passwd'>\n]>\n<robot>&a;",
     STATUS_BAD_ARGUMENT,
     "4:8: not well-formed XML: undefined entity; entities are not expanded here: xmllint --noent "
     "FILE writes what they stand for"},
    {"<!DOCTYPE robot [\n<!ENTITY a>\n]>\n<robot/>", STATUS_BAD_ARGUMENT,
     "2:11: not well-formed XML: syntax error"},
    {"<?xml version='1.0' encoding='klingon'?>\n<robot name='r'/>", STATUS_BAD_ARGUMENT,
     "1:31: not well-formed XML: unknown encoding; iconv -f ENCODING -t UTF-8 writes it anew"},
    {"<robot name='\xff\xfe'/>", STATUS_BAD_ARGUMENT,
     "1:14: not well-formed XML: not well-formed (invalid token)" LETTERS},
    {ROBOT("<xacro:include filename='arm.xacro'/>\n"), STATUS_REFUSED,
     "2:1: <xacro:include>: a macro of xacro: expand the file first, xacro FILE > robot.urdf"},
    /* links */
    {ROBOT("<link/>\n"), STATUS_BAD_ARGUMENT, "2:1: <link>: name is missing"},
    {ROBOT("<link name=''/>\n"), STATUS_BAD_ARGUMENT, "2:1: <link>: name is empty"},
    {ROBOT("<link name='a&#10;b'/>\n"), STATUS_BAD_ARGUMENT,
     "2:1: <link>: name holds a control character"},
    {ARM("<link name='arm'/>\n"), STATUS_BAD_ARGUMENT,
     "5:1: link 'arm': the name is taken by the link at 3:1; give one of them another"},
    {ARM(HEAVY("p") HEAVY("p") HEAVY("q") HEAVY("q")), STATUS_BAD_ARGUMENT,
     "6:1: link 'p': the name is taken by the link at 5:1; give one of them another"},
    {ARM(EMPTY("stray")), STATUS_BAD_ARGUMENT,
     "5:1: link 'stray': a second root beside 'base': 2 links have no parent" JOIN},
    {ARM(EMPTY("stray") EMPTY("other")), STATUS_BAD_ARGUMENT,
     "5:1: link 'stray': a second root beside 'base': 3 links have no parent" JOIN},
    {ROBOT(HEAVY("base")), STATUS_OUT_OF_RANGE, "2:1: link 'base': no joint moves: 1 to 128 must"},
    {ROBOT(HEAVY("base") HEAVY("arm") FIXED("weld", "base", "arm")), STATUS_OUT_OF_RANGE,
     "2:1: link 'base': no joint moves: 1 to 128 must"},
    {ROBOT(HEAVY("base") EMPTY("arm") TURNS("elbow", "base", "arm")), STATUS_NOT_CONSISTENT,
     "3:1: link 'arm': it moves and has no mass: it or a link fixed to it needs an <inertial>"},
    {ROBOT(HEAVY("base")
               LINK("arm", INERTIAL("<mass value='0'/>" MOMENTS("0", "0", "0", "0", "0", "0")))
                   TURNS("elbow", "base", "arm")),
     STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': it moves and has no mass: it or a link fixed to it needs an <inertial>"},
    /* inertials */
    {ARM_OF(INERTIAL("")), STATUS_BAD_ARGUMENT,
     "3:18: link 'arm': <inertial>: <mass> is missing; give it, or leave <inertial> out with "
     "robot.inertia: unknown"},
    {ARM_OF(INERTIAL("<mass value='1'/>")), STATUS_BAD_ARGUMENT,
     "3:18: link 'arm': <inertial>: <inertia> is missing; give it, or leave <inertial> out with "
     "robot.inertia: unknown"},
    {ARM_OF(INERTIAL(BALL)), STATUS_BAD_ARGUMENT,
     "3:18: link 'arm': <inertial>: <mass> is missing; give it, or leave <inertial> out with "
     "robot.inertia: unknown"},
    {ARM_OF(INERTIAL("<mass/>" BALL)), STATUS_BAD_ARGUMENT,
     "3:28: link 'arm': <mass>: value is missing"},
    {ARM_OF(INERTIAL("<mass value='-1'/>" BALL)), STATUS_OUT_OF_RANGE,
     "3:28: link 'arm': <mass>: value: -1 is below the minimum 0 kg"},
    {ARM_OF(INERTIAL("<mass value='0'/>" BALL)), STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': mass is not positive: 0 kg must be above 0"},
    {ARM_OF(INERTIAL("<mass value='nan'/>" BALL)), STATUS_NOT_FINITE,
     "3:28: link 'arm': <mass>: value: 'nan' is not finite"},
    {ARM_OF(INERTIAL("<mass value='1e999'/>" BALL)), STATUS_NOT_FINITE,
     "3:28: link 'arm': <mass>: value: '1e999' is not finite"},
    {ARM_OF(INERTIAL("<mass value='1,5'/>" BALL)), STATUS_BAD_ARGUMENT,
     "3:28: link 'arm': <mass>: value: '1,5' is not a number: the decimal mark is a point"},
    {ARM_OF(INERTIAL("<mass value='0x10'/>" BALL)), STATUS_BAD_ARGUMENT,
     "3:28: link 'arm': <mass>: value: '0x10' is not a number"},
    {ARM_OF(INERTIAL("<mass value='1 kg'/>" BALL)), STATUS_BAD_ARGUMENT,
     "3:28: link 'arm': <mass>: value: '1 kg' is not a number"},
    {ARM_OF(INERTIAL("<mass value='2e6'/>" BALL)), STATUS_OUT_OF_RANGE,
     "3:28: link 'arm': <mass>: value: 2e+06 is above the maximum 100000 kg"},
    {ARM_OF(INERTIAL("<mass value='1'/><inertia ixy='0' iyy='1' izz='1'/>")), STATUS_BAD_ARGUMENT,
     "3:45: link 'arm': <inertia>: ixx is missing"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("1", "0", "-inf", "1", "0", "1"))),
     STATUS_NOT_FINITE, "3:45: link 'arm': <inertia>: ixz: '-inf' is not finite"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("1e9", "0", "0", "1", "0", "1"))),
     STATUS_OUT_OF_RANGE,
     "3:45: link 'arm': <inertia>: ixx: 1e+09 is above the maximum 1e+07 kg m^2"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("-1", "0", "0", "1", "0", "1"))),
     STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': a principal moment of inertia about the centre of mass is not positive: -1 "
     "kg m^2 must be above 0, the others are 1 and 1"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("1", "2", "0", "1", "0", "1"))),
     STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': a principal moment of inertia about the centre of mass is not positive: -1 "
     "kg m^2 must be above 0, the others are 1 and 3"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("1", "0", "0", "1", "0", "3"))),
     STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': the principal moments of inertia violate the triangle inequality: 3 must "
     "be below 1 + 1 = 2 kg m^2"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("1", "0", "0", "1", "0", "2"))),
     STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': the principal moments of inertia violate the triangle inequality: 2 must "
     "be below 1 + 1 = 2 kg m^2"},
    {ARM_OF(INERTIAL("<mass value='1'/>" MOMENTS("0", "0", "0", "0", "0", "0"))),
     STATUS_NOT_CONSISTENT,
     "3:18: link 'arm': a principal moment of inertia about the centre of mass is not positive: 0 "
     "kg m^2 must be above 0, the others are 0 and 0"},
    {ARM_OF(INERTIAL("<origin xyz='0 0'/><mass value='1'/>" BALL)), STATUS_BAD_ARGUMENT,
     "3:28: link 'arm': <origin>: xyz: '0 0' is not three numbers, divided by blanks"},
    {ARM_OF(INERTIAL("<origin xyz='0 0 0 0'/><mass value='1'/>" BALL)), STATUS_BAD_ARGUMENT,
     "3:28: link 'arm': <origin>: xyz: '0 0 0 0' is not three numbers, divided by blanks"},
    {ARM_OF(INERTIAL("<origin xyz='0 0 500'/><mass value='1'/>" BALL)), STATUS_OUT_OF_RANGE,
     "3:28: link 'arm': <origin>: xyz: 500 is above the maximum 100 m"},
    {ARM_OF(INERTIAL("<origin rpy='0 0 NaN'/><mass value='1'/>" BALL)), STATUS_NOT_FINITE,
     "3:28: link 'arm': <origin>: rpy: '0 0 NaN' is not finite"},
    /* inertials behind fixed joints */
    {ROBOT(HEAVY("base") EMPTY("arm")
               LINK("cover", INERTIAL("<mass value='1'/>" MOMENTS("1", "0", "0", "1", "0", "3")))
                   TURNS("elbow", "base", "arm") FIXED("weld", "arm", "cover")),
     STATUS_NOT_CONSISTENT,
     "4:20: link 'cover': the principal moments of inertia violate the triangle inequality: 3 must "
     "be below 1 + 1 = 2 kg m^2"},
    {ROBOT(HEAVY("base") LINK("arm",
                              INERTIAL("<mass value='0'/>" MOMENTS("0", "0", "0", "0", "0", "0")))
               LINK("cover", INERTIAL("<mass value='1'/>" MOMENTS("1", "0", "0", "1", "0", "3")))
                   TURNS("elbow", "base", "arm") FIXED("weld", "arm", "cover")),
     STATUS_NOT_CONSISTENT,
     "4:20: link 'cover': the principal moments of inertia violate the triangle inequality: 3 must "
     "be below 1 + 1 = 2 kg m^2"},
    {ROBOT(LINK("base", INERTIAL("<mass value='1'/>" MOMENTS("-1", "0", "0", "1", "0", "1")))
               LINK("arm", INERTIAL("<mass value='1'/>" MOMENTS("1", "0", "0", "1", "0", "9")))
                   TURNS("elbow", "base", "arm")),
     STATUS_NOT_CONSISTENT,
     "2:19: link 'base': a principal moment of inertia about the centre of mass is not positive: "
     "-1 kg m^2 must be above 0, the others are 1 and 1 (and 1 more)"},
    /* joints */
    {ROBOT("<joint/>\n"), STATUS_BAD_ARGUMENT, "2:1: <joint>: name is missing"},
    {ROBOT("<joint name='j'/>\n"), STATUS_BAD_ARGUMENT, "2:1: joint 'j': type is missing"},
    {ARM_WITH(""), STATUS_BAD_ARGUMENT, "4:1: joint 'elbow': <parent> is missing"},
    {ARM_WITH("<parent link='base'/>"), STATUS_BAD_ARGUMENT,
     "4:1: joint 'elbow': <child> is missing"},
    {ARM_WITH("<parent/><child link='arm'/>"), STATUS_BAD_ARGUMENT,
     "4:37: joint 'elbow': <parent>: link is missing"},
    {ARM_WITH(BETWEEN("bas", "arm")), STATUS_BAD_ARGUMENT,
     "4:1: joint 'elbow': parent link 'bas' does not exist, did you mean 'base'?"},
    {ARM_WITH(BETWEEN("base", "arms")), STATUS_BAD_ARGUMENT,
     "4:1: joint 'elbow': child link 'arms' does not exist, did you mean 'arm'?"},
    {ARM_WITH(BETWEEN("base", "base")), STATUS_BAD_ARGUMENT,
     "4:1: joint 'elbow': parent and child are the same link 'base'"},
    {ROBOT(HEAVY("base") HEAVY("arm") JOINT("slab", "planar", BETWEEN("base", "arm"))),
     STATUS_BAD_ARGUMENT,
     "4:1: joint 'slab': a planar joint is read where robot.locked names it and holds it fast"},
    {ROBOT(HEAVY("base") HEAVY("arm") JOINT("hip", "spherical", BETWEEN("base", "arm"))),
     STATUS_BAD_ARGUMENT,
     "4:1: joint 'hip': type 'spherical' is none of revolute, continuous, prismatic, fixed, "
     "floating, planar"},
    {ARM(HEAVY("hand") JOINT("wrist", "floating", BETWEEN("arm", "hand"))), STATUS_BAD_ARGUMENT,
     "6:1: joint 'wrist': " FLOATING},
    {ROBOT(HEAVY("world") HEAVY("base") HEAVY("arm")
               JOINT("free", "floating", BETWEEN("world", "base")) TURNS("elbow", "base", "arm")),
     STATUS_BAD_ARGUMENT, "5:1: joint 'free': " FLOATING},
    {ROBOT(EMPTY("world") HEAVY("base") HEAVY("arm")
               JOINT("free", "floating", BETWEEN("world", "base")) TURNS("elbow", "world", "arm")),
     STATUS_BAD_ARGUMENT, "5:1: joint 'free': " FLOATING},
    {ARM(TURNS("elbow", "arm", "base")), STATUS_BAD_ARGUMENT,
     "5:1: joint 'elbow': the name is taken by the joint at 4:1; give one of them another"},
    {ARM(TURNS("again", "base", "arm")), STATUS_BAD_ARGUMENT,
     "5:1: joint 'again': child link 'arm' is also the child of joint 'elbow': a link has one "
     "parent"},
    {ROBOT(HEAVY("a") HEAVY("b") HEAVY("c") TURNS("ab", "a", "b") TURNS("bc", "b", "c")
               TURNS("ca", "c", "a")),
     STATUS_BAD_ARGUMENT, "2:1: link 'a': the joints form a cycle: 'a' <- 'c' <- 'b' <- and again"},
    {ARM(HEAVY("p") HEAVY("q") TURNS("pq", "p", "q") TURNS("qp", "q", "p")), STATUS_BAD_ARGUMENT,
     "5:1: link 'p': the joints form a cycle: 'p' <- 'q' <- and again"},
    {ARM_WITH(BETWEEN("base", "arm") "<axis xyz='0 0 0'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <axis>: xyz: (0 0 0) has length 0, an axis needs at least 1e-06"},
    {ARM_WITH(BETWEEN("base", "arm") "<axis xyz='0 1e-9 0'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <axis>: xyz: (0 1e-09 0) has length 1e-09, an axis needs at least "
     "1e-06"},
    {ARM_WITH(BETWEEN("base", "arm") "<axis xyz='0 0 z'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <axis>: xyz: '0 0 z' is not three numbers, divided by blanks"},
    {ARM_WITH(BETWEEN("base", "arm") "<origin xyz='0 0 1' rpy='0 90 0'/>"), STATUS_OUT_OF_RANGE,
     "4:77: joint 'elbow': <origin>: rpy: 90 is above the maximum 12.6 rad"},
    {ARM_WITH(BETWEEN("base", "arm") "<origin xyz='0 0 1000'/>"), STATUS_OUT_OF_RANGE,
     "4:77: joint 'elbow': <origin>: xyz: 1000 is above the maximum 100 m"},
    {ARM_WITH(BETWEEN("base", "arm") "<limit lower='-1' upper='nan'/>"), STATUS_NOT_FINITE,
     "4:77: joint 'elbow': <limit>: upper: 'nan' is not finite"},
    {ARM_WITH(BETWEEN("base", "arm") "<limit effort='strong'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <limit>: effort: 'strong' is not a number"},
    {ARM_WITH(BETWEEN("base", "arm") "<origin xyz='0, 0, 1'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <origin>: xyz: '0, 0, 1' is not three numbers, divided by blanks: no "
     "comma belongs there"},
    {ARM_WITH(BETWEEN("base", "arm") "<dynamics damping='low'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <dynamics>: damping: 'low' is not a number"},
    {ARM_WITH(BETWEEN("base", "arm") "<rotor ratio='100'/>"), STATUS_BAD_ARGUMENT,
     "4:77: joint 'elbow': <rotor>: inertia is missing"},
    {ARM_WITH(BETWEEN("base", "arm") "<rotor inertia='-1e-5'/>"), STATUS_OUT_OF_RANGE,
     "4:77: joint 'elbow': <rotor>: inertia: -1e-05 is below the minimum 0"},
    {ARM(HEAVY("hand") JOINT("wrist", "revolute", BETWEEN("arm", "hand") "<mimic joint='elbo'/>")),
     STATUS_BAD_ARGUMENT, "6:77: joint 'wrist': <mimic>: joint 'elbo' does not exist"},
    {ARM(HEAVY("hand") JOINT("wrist", "revolute", BETWEEN("arm", "hand") "<mimic joint='wrist'/>")),
     STATUS_BAD_ARGUMENT, "6:77: joint 'wrist': <mimic>: following 'wrist' leads back to itself"},
    {ARM(HEAVY("hand") JOINT("wrist", "revolute", BETWEEN("arm", "hand") "<mimic/>")),
     STATUS_BAD_ARGUMENT, "6:77: joint 'wrist': <mimic>: joint is missing"},
    {ROBOT(HEAVY("base") HEAVY("arm") HEAVY("hand")
               JOINT("elbow", "revolute", BETWEEN("base", "arm") "<mimic joint='wrist'/>")
                   JOINT("wrist", "revolute", BETWEEN("arm", "hand") "<mimic joint='elbow'/>")),
     STATUS_BAD_ARGUMENT, "5:77: joint 'elbow': <mimic>: following 'wrist' leads back to itself"},
    {ARM(HEAVY("hand") JOINT("wrist", "revolute",
                             BETWEEN("arm", "hand") "<mimic joint='elbow' multiplier='-1e5'/>")
             HEAVY("tip") JOINT("end", "revolute",
                                BETWEEN("hand", "tip") "<mimic joint='wrist' multiplier='1e5'/>")),
     STATUS_OUT_OF_RANGE,
     "8:75: joint 'end': <mimic>: following 'wrist' to the end gives ratio -1e+10 and offset 0, "
     "beyond +-1e+06"},
    {ARM_WITH(BETWEEN("base", "arm") "<rotor inertia='1' ratio='-2000'/>"), STATUS_OUT_OF_RANGE,
     "4:77: joint 'elbow': <rotor>: 1 kg m^2 times -2000 squared is above the maximum 1e+06 kg "
     "m^2"},
    /* sensors */
    {ARM("<sensor type='accelerometer'><parent link='arm'/></sensor>\n"), STATUS_BAD_ARGUMENT,
     "5:1: <sensor>: name is missing"},
    {ARM(SENSOR("s", "")), STATUS_BAD_ARGUMENT, "5:1: sensor 's': <parent> is missing"},
    {ARM(SENSOR("s", "<parent joint='elbow'/>")), STATUS_BAD_ARGUMENT,
     "5:39: sensor 's': <parent>: link is missing"},
    {ARM(SENSOR("s", "<parent link='leg'/>")), STATUS_BAD_ARGUMENT,
     "5:1: sensor 's': parent link 'leg' does not exist"},
    {ARM(SENSOR("s", "<parent link='arm'/><origin xyz='a b c'/>")), STATUS_BAD_ARGUMENT,
     "5:59: sensor 's': <origin>: xyz: 'a b c' is not three numbers, divided by blanks"},
    {ARM(SENSOR("s", "<parent link='arm'/>") SENSOR("s", "<parent link='base'/>")),
     STATUS_BAD_ARGUMENT,
     "6:1: sensor 's': the name is taken by the sensor at 5:1; give one another"},
    {ROBOT(EMPTY("world") HEAVY("base") HEAVY("arm")
               JOINT("free", "floating", BETWEEN("world", "base")) TURNS("elbow", "base", "arm")
                   SENSOR("s", "<parent link='world'/>")),
     STATUS_BAD_ARGUMENT, "7:1: sensor 's': parent link 'world' is no part of the robot"},
};
enum { REFUSALS = sizeof(refusals) / sizeof(refusals[0]) };

#endif
