"""What the innermost loops of object files do with vector registers: lines `FUNCTION ARITHMETIC MEMORY SPILLS`.

    inner_loops.py OBJDUMP FILE.o ...

Counted are instructions that calculate with floating-point numbers, those of vector registers that read or write memory,
and those that write such a register to the stack. Loops with fewer than 8 of the first kind are left out, and those that
call: no register outlives a call."""
import re
import subprocess
import sys

X86 = {
    "arithmetic": re.compile(r"v?(add|sub|mul|div|max|min|sqrt)[ps][sd]|vfn?m(add|sub)\w*[ps][sd]"),
    "register": re.compile(r"%[xyz]mm"),
    "memory": re.compile(r".*\("),
    "spill": re.compile(r"%[xyz]mm\d+,-?(0x[0-9a-f]+)?\(%r[sb]p\)$"),
    "jump": re.compile(r"j\w+ ([0-9a-f]+)"),
    "call": re.compile(r"call"),
}
ARM = {
    "arithmetic": re.compile(r"f(madd|msub|nmadd|nmsub|mla|mls|add|sub|mul|nmul|div|max|min|sqrt)\w*"),
    "register": re.compile(r"\b[vqd]\d+"),
    "memory": re.compile(r"ld|st"),
    "spill": re.compile(r"(str|stp|stur) [qd]\d+.*\[(sp|x29)"),
    "jump": re.compile(r"(?:b\.\w+|b|cbn?z \w+,|tbn?z \w+, #\d+,) ([0-9a-f]+)"),
    "call": re.compile(r"blr? "),
}
LEAST = 8


def functions(objdump, path):
    """(name, machine, [(address, instruction)]) of every function."""
    text = subprocess.run([objdump, "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    machine = ARM if "aarch64" in text[:200] else X86
    for part in re.split(r"\n(?=[0-9a-f]+ <)", text)[1:]:
        head, *lines = part.splitlines()
        code = []
        for line in lines:
            found = re.match(r"\s+([0-9a-f]+):\s+(.*)", line)
            if found:
                words = re.sub(r"^(data16|cs|notrack|rep|bnd) ", "", found[2]).split(None, 1)
                code.append((int(found[1], 16), " ".join(words).split(" <")[0].rstrip()))
        yield re.search("<(.*)>", head)[1], machine, code


def innermost(machine, code):
    """Bodies of the loops that hold no other."""
    place = {address: i for i, (address, _) in enumerate(code)}
    loops = set()
    for i, (_, instruction) in enumerate(code):
        jump = machine["jump"].match(instruction)
        if jump and place.get(int(jump[1], 16), len(code)) <= i:
            loops.add((place[int(jump[1], 16)], i))
    for first, last in sorted(loops):
        if not any((f, l) != (first, last) and first <= f and l <= last for f, l in loops):
            yield [instruction for _, instruction in code[first : last + 1]]


for path in sys.argv[2:]:
    for name, machine, code in functions(sys.argv[1], path):
        for loop in innermost(machine, code):
            if any(machine["call"].match(i) for i in loop):
                continue
            arithmetic = sum(bool(machine["arithmetic"].match(i)) for i in loop)
            moves = [i for i in loop if machine["register"].search(i) and machine["memory"].match(i)]
            spills = sum(bool(machine["spill"].search(i)) for i in moves)
            if arithmetic >= LEAST:
                print(name, arithmetic, len(moves), spills)
