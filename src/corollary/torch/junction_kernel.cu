// The posterior of a junction tree for many items in one launch, each number of an item in a column of its own.
//
// A block has LANES items, one for each thread of a warp, and its warps share out the entries of the tables: all of one
// height at once, from the bottom up, then down again. An entry gathers what it needs, so that no two threads ever write
// to one place. A row is a legal state of a bag's separator: it adds to one entry, and links to entries of tables below.
//
// Set from outside: REAL (float or double), LANES, FACTS (whether anything is known).

// The log-weight of what is impossible: finite also for float, and nothing beside any other.
#define IMPOSSIBLE ((REAL)-1e30)
enum { OFF = 1, ON = 2 };  // what a row lets its label be

typedef signed char Fact;  // -1 unknown, 0 no, 1 yes

__device__ inline float exp_of(float x) { return expf(x); }
__device__ inline double exp_of(double x) { return exp(x); }
__device__ inline float log1p_of(float x) { return log1pf(x); }
__device__ inline double log1p_of(double x) { return log1p(x); }

// `odds`, `known` and `posterior` are labels x items, `table` is entries x items, `off` and `on` are rows x items: the
// probability that the label is off, or on, in that row. `tables` are those of junction_kernel.py.
extern "C" __global__ void infer(
    const REAL *odds, const Fact *known, REAL *posterior, REAL *log_z, REAL *table, REAL *off, REAL *on,
    long long n_items, const int *tables
) {
    const int n_heights = tables[0], n_entries = tables[1], n_rows = tables[2], n_links = tables[3], n_labels = tables[4];
    const int root = tables[5];
    const int *first_entry = tables + 6;                // of each height, and the end
    const int *first_row = first_entry + n_heights + 1;  // of each entry, and the end
    const int *entry = first_row + n_entries + 1;       // of each row,
    const int *label = entry + n_rows;                  // its bag's label,
    const int *kind = label + n_rows;                   // and what that may be
    const int *first_link = kind + n_rows;              // of each row, and the end: to the entries below
    const int *link = first_link + n_rows + 1;          // if it is off, then if it is on
    const int *first_above = link + n_links;            // of each entry, and the end: of the links to it,
    const int *above = first_above + n_entries + 1;     // twice the row, and one more if they are for on
    const int *first_on = above + n_links;              // of each label, and the end: of the rows
    const int *row_on = first_on + n_labels + 1;        // in which it may be on

    const int warp = threadIdx.x / LANES, warps = blockDim.x / LANES;
    for (long long start = (long long)blockIdx.x * LANES; start < n_items; start += (long long)gridDim.x * LANES) {
        const long long lane = start + threadIdx.x % LANES, i = lane < n_items ? lane : n_items - 1;
        for (int height = 0; height < n_heights; ++height) {
            for (int e = first_entry[height] + warp; e < first_entry[height + 1]; e += warps) {
                REAL total = 0;
                for (int r = first_row[e]; r < first_row[e + 1]; ++r) {
                    REAL if_on = odds[label[r] * n_items + i], if_off = 0;
#if FACTS
                    const Fact fact = known[label[r] * n_items + i];
                    if (fact >= 0) if_on = fact ? 0 : IMPOSSIBLE;
                    if (fact == 1) if_off = IMPOSSIBLE;
#endif
                    const int l0 = first_link[r], l2 = first_link[r + 1];
                    const int l1 = kind[r] == OFF ? l2 : kind[r] == ON ? l0 : (l0 + l2) / 2;
                    for (int l = l0; l < l1; ++l) if_off += table[link[l] * n_items + i];
                    for (int l = l1; l < l2; ++l) if_on += table[link[l] * n_items + i];
                    if (kind[r] == OFF) if_on = IMPOSSIBLE;
                    if (kind[r] == ON) if_off = IMPOSSIBLE;
                    const REAL lead = if_on - if_off, less = exp_of(lead > 0 ? -lead : lead);
                    const REAL likely = 1 / (1 + less), other = less * likely;
                    on[r * n_items + i] = lead > 0 ? likely : other;
                    off[r * n_items + i] = lead > 0 ? other : likely;
                    total += (lead > 0 ? if_on : if_off) + log1p_of(less);
                }
                table[e * n_items + i] = total;
            }
            __syncthreads();
        }
        if (warp == 0) log_z[i] = table[root * n_items + i];
        __syncthreads();
        for (int height = n_heights - 1; height >= 0; --height) {
            for (int e = first_entry[height] + warp; e < first_entry[height + 1]; e += warps) {
                REAL probability = e == root;
                for (int l = first_above[e]; l < first_above[e + 1]; ++l) {
                    const int r = above[l] / 2;
                    probability += table[entry[r] * n_items + i] * (above[l] % 2 ? on : off)[r * n_items + i];
                }
                table[e * n_items + i] = probability;
            }
            __syncthreads();
        }
        for (int k = warp; k < n_labels; k += warps) {
            REAL probability = 0;
            for (int l = first_on[k]; l < first_on[k + 1]; ++l)
                probability += table[entry[row_on[l]] * n_items + i] * on[row_on[l] * n_items + i];
            posterior[k * n_items + i] = probability;
        }
        __syncthreads();
    }
}
