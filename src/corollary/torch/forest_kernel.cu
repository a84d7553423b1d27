// The posterior of a forest for many items in one launch: up and down with all of an item in shared memory.
//
// A team of TEAM threads (some of a warp, a warp, or a block for large forests) has one item at a time. Its log-odds are read once
// and its posterior is written once, as by a copy. Nodes stand level by level, the members of a group side by side. Kinds
// of groups are those of logic/engines/tree.py, and u(v) is the log-weight of 'v on' relative to 'v and all below it off'.
//
// Set from outside: REAL (float or double); TEAM; FACTS (whether anything is known); EVERY (whether the nodes have all
// columns of the matrices) and ORDERED (whether column k is node k, too); WIDE, how many numbers are moved at once:
// several only if the nodes have every column, and rows are aligned.

enum { FREE, AT_MOST_ONE, EXACTLY_ONE, COVER };

// The log-weight of what is impossible: finite also for float, and nothing beside any other.
#define IMPOSSIBLE ((REAL)-1e30)
#define TINY ((REAL)(sizeof(REAL) == 4 ? 1e-35 : 1e-305))

typedef signed char Fact;  // -1 unknown, 0 no, 1 yes

struct alignas(WIDE * sizeof(REAL)) Reals { REAL x[WIDE]; };
struct alignas(WIDE) Facts { Fact x[WIDE]; };
struct alignas(WIDE * sizeof(int)) Ints { int x[WIDE]; };

__device__ inline float exp_of(float x) { return __expf(x); }
__device__ inline double exp_of(double x) { return exp(x); }
__device__ inline float log_of(float x) { return logf(x); }
__device__ inline double log_of(double x) { return log(x); }
__device__ inline float log1p_of(float x) { return log1pf(x); }
__device__ inline double log1p_of(double x) { return log1p(x); }
__device__ inline float expm1_of(float x) { return expm1f(x); }
__device__ inline double expm1_of(double x) { return expm1(x); }
__device__ inline REAL larger(REAL a, REAL b) { return a > b ? a : b; }

#if TEAM == 1  // one thread, as where this is tested as plain C++
#define SYNC()
#elif TEAM <= 32
#define MATES (0xffffffffu >> (32 - TEAM) << threadIdx.x % 32 / TEAM * TEAM)  // the threads of the team in its warp
#define SYNC() __syncwarp(MATES)
#else
#define MATES 0xffffffffu
#define SYNC() __syncthreads()
#endif

// The sum or the largest of what the threads of a team have; `spare` has a place for each warp.
template <bool MAX>
__device__ inline REAL over_team(REAL x, REAL *spare) {
#if TEAM > 1
    for (int step = (TEAM < 32 ? TEAM : 32) / 2; step; step /= 2) {
        const REAL other = __shfl_xor_sync(MATES, x, step);
        x = MAX ? larger(x, other) : x + other;
    }
#endif
#if TEAM > 32
    SYNC();
    if (threadIdx.x % 32 == 0) spare[threadIdx.x / 32] = x;
    SYNC();
    x = spare[0];
    for (int w = 1; w < TEAM / 32; ++w) x = MAX ? larger(x, spare[w]) : x + spare[w];
#endif
    return x;
}

// One item: what its nodes weigh, what is known of them, and a number for each group: at first whether one of it is known
// to be on; then its scale, which makes probabilities of weights: while the parent is on, in the end altogether.
struct Item {
    REAL *own, *of_group, *spare;
    Fact *fact;

    __device__ bool is_on(int v) const { return FACTS && fact[v] == 1; }
    __device__ bool is_off(int v) const { return FACTS && fact[v] == 0; }
};

// The log-weight of all that a group may do while its parent is on; u of its members becomes what each weighs in it. Where
// they are TOGETHER, all threads of the team have the same group.
template <bool TOGETHER>
__device__ inline REAL weigh(const Item &item, int group, int kind, int first, int last) {
    const int start = first + (TOGETHER ? threadIdx.x % TEAM : 0), step = TOGETHER ? TEAM : 1;
    REAL *own = item.own, *spare = item.spare, scale = 1, weight = 0;
    const bool on = FACTS && item.of_group[group] > 0;
    if (kind == FREE || kind == COVER) {
        for (int v = start; v < last; v += step) {
            const REAL u = own[v];
            weight += item.is_on(v) ? u : larger(u, 0) + log1p_of(exp_of(u > 0 ? -u : u));
        }
        if (TOGETHER) weight = over_team<false>(weight, spare);
        if (kind == COVER && !on && weight < TINY) kind = EXACTLY_ONE;  // two at once weigh nothing beside one
    }
    if (kind == AT_MOST_ONE || kind == EXACTLY_ONE) {
        const bool none = kind == AT_MOST_ONE && !on;  // may be on
        REAL top = none ? 0 : 2 * IMPOSSIBLE, total = 0;
#pragma unroll 5
        for (int v = start; v < last; v += step) top = larger(top, own[v]);
        if (TOGETHER) top = over_team<true>(top, spare);
#pragma unroll 5
        for (int v = start; v < last; v += step) total += own[v] = exp_of(own[v] - top);
        if (TOGETHER) total = over_team<false>(total, spare);
        if (none) total += exp_of(-top);
        scale = 1 / total;
        weight = top + log_of(total);
    } else {
        if (kind == COVER && !on) {
            const REAL with_none = weight;
            weight = weight > 1 ? weight + log1p_of(-exp_of(-weight)) : log_of(expm1_of(weight));
            scale = exp_of(with_none - weight);
        }
        for (int v = start; v < last; v += step) {
            const REAL u = own[v], less = exp_of(u > 0 ? -u : u);
            own[v] = item.is_on(v) ? 1 : (u > 0 ? 1 : less) / (1 + less);
        }
    }
    if (!TOGETHER || threadIdx.x % TEAM == 0) item.of_group[group] = scale;
    return weight;
}

// `odds`, `known` and `posterior` are items x columns, so many numbers apart from row to row. Adds log Z, with what is
// known, which is nan where odds are not finite. `tables` are those of forest_kernel.py.
extern "C" __global__ void infer(
    const REAL *odds, long long odds_row, const Fact *known, long long known_row, REAL *posterior,
    long long posterior_row, REAL *log_z, long long n_items, const int *tables
) {
    const int n_levels = tables[0], n_parents = tables[1], n_groups = tables[2], n_nodes = tables[3];
    const int *column = tables + 4;                       // those that the nodes have, rising;
    const int *node = column + n_nodes;                   // the node of each,
    const int *group = node + n_nodes;                    // and its group
    const int *levels = group + n_nodes;                  // the first parent of each level, and the end
    const int *parents = levels + n_levels + 1;           // the node of each; the root, which is no node, is -1
    const int *first_group = parents + n_parents;         // of each parent, and the end
    const int *first_node = first_group + n_parents + 1;  // of each group, and the end
    const int *kind = first_node + n_groups + 1;          // of each group
    const int *above = kind + n_groups;                   // of each group, its parent's node
    const int *group_above = above + n_groups;            // and the group of that

    extern __shared__ double shared[];
    const int me = threadIdx.x % TEAM, team = threadIdx.x / TEAM, teams = blockDim.x / TEAM;
    const int numbers = (n_nodes + n_groups + (TEAM > 32 ? TEAM / 32 : 0) + 3) / 4 * 4;
    Item item;
    item.own = (REAL *)shared + (long long)team * numbers;
    item.of_group = item.own + n_nodes;
    item.spare = item.of_group + n_groups;
    item.fact = (Fact *)((REAL *)shared + (long long)teams * numbers) + (long long)team * ((n_nodes + 15) / 16 * 16);

    for (long long i = (long long)blockIdx.x * teams + team; i < n_items; i += (long long)gridDim.x * teams) {
        REAL total = 0;
        if (FACTS) {
            for (int g = me; g < n_groups; g += TEAM) item.of_group[g] = 0;
            SYNC();
        }
#pragma unroll 4
        for (int j = me * WIDE; j < n_nodes; j += TEAM * WIDE) {
            const int k = EVERY ? j : column[j];
            Reals u = *(const Reals *)(odds + i * odds_row + k);
            Ints nodes;
            if (!ORDERED) nodes = *(const Ints *)(node + j);
            for (int w = 0; w < WIDE; ++w) total += u.x[w] * 0;  // nan if it is not finite
#if FACTS
            const Facts facts = *(const Facts *)(known + i * known_row + k);
            for (int w = 0; w < WIDE; ++w) {
                if (facts.x[w] < 0) continue;
                if (facts.x[w]) {
                    total += u.x[w];
                    item.of_group[group[j + w]] = 1;
                }
                u.x[w] = facts.x[w] ? 0 : IMPOSSIBLE;
            }
            if (ORDERED) *(Facts *)(item.fact + j) = facts;
            else for (int w = 0; w < WIDE; ++w) item.fact[nodes.x[w]] = facts.x[w];
#endif
            if (ORDERED) *(Reals *)(item.own + j) = u;
            else for (int w = 0; w < WIDE; ++w) item.own[nodes.x[w]] = u.x[w];
        }
        SYNC();
        for (int level = n_levels - 1; level >= 0; --level) {
            const int p0 = levels[level], p1 = levels[level + 1], g0 = first_group[p0], g1 = first_group[p1];
            // All threads take one group after another where there are few groups, or large ones.
            if ((g1 - g0) * 8 < TEAM || first_node[g1] - first_node[g0] > 3 * TEAM * (g1 - g0)) {
                for (int g = g0; g < g1; ++g) {
                    const REAL weight = weigh<true>(item, g, kind[g], first_node[g], first_node[g + 1]);
                    if (me == 0 && above[g] < 0) total += weight;
                    if (me == 0 && above[g] >= 0 && !item.is_off(above[g])) item.own[above[g]] += weight;
                }
            } else if (level == 0) {
                for (int g = g0 + me; g < g1; g += TEAM)
                    total += weigh<false>(item, g, kind[g], first_node[g], first_node[g + 1]);
            } else {
                for (int p = p0 + me; p < p1; p += TEAM) {
                    REAL sum = 0;
                    for (int g = first_group[p]; g < first_group[p + 1]; ++g)
                        sum += weigh<false>(item, g, kind[g], first_node[g], first_node[g + 1]);
                    if (!item.is_off(parents[p])) item.own[parents[p]] += sum;
                }
            }
            SYNC();
        }
        total = over_team<false>(total, item.spare);
        if (me == 0) atomicAdd(log_z + i, total);  // which does not wait for what is there
        for (int level = 1; level < n_levels; ++level) {
            const int g1 = first_group[levels[level + 1]];
            for (int g = first_group[levels[level]] + me; g < g1; g += TEAM)
                item.of_group[g] *= item.own[above[g]] * item.of_group[group_above[g]];
            SYNC();
        }
#pragma unroll 4
        for (int j = me * WIDE; j < n_nodes; j += TEAM * WIDE) {
            const Ints groups = *(const Ints *)(group + j);
            Reals q;
            if (ORDERED) {
                q = *(const Reals *)(item.own + j);
            } else {
                const Ints nodes = *(const Ints *)(node + j);
                for (int w = 0; w < WIDE; ++w) q.x[w] = item.own[nodes.x[w]];
            }
            for (int w = 0; w < WIDE; ++w) q.x[w] *= item.of_group[groups.x[w]];
            *(Reals *)(posterior + i * posterior_row + (EVERY ? j : column[j])) = q;
        }
        SYNC();
    }
}
