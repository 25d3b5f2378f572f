// One iteration of message passing on a GPU: each row of F is read from memory once [rangan2011].
//
// `amp_pass` takes the labelled rows. A row goes into shared memory by a bulk copy, and stays there while its dot
// product with the means is summed, g follows, and g times the row is added to sums in registers. Where a row is too
// wide for one multiprocessor, a cluster of them has a part of the columns each, and they tell each other their sums.
// `amp_update` turns the sums into new means. `pool_dots` is the product of rows with the means alone.
//
// All sums are taken in an order that follows from the shape alone: the same question gives the same bits.
//
// The text is compiled when it is first needed, with these constants in front of it (fused.py):
//   STORED   how F is stored: 0 float32, 1 bfloat16, 2 float16      VECTORS  16-byte pieces of a row a thread
//   ROWS     rows that are taken at once                            STAGES   sets of rows in shared memory
//   PARTS    multiprocessors that share a row                       FLIP     1: labels flipped by chance
//   LAG      1: a set's sums are added while the next set's products are on their way
//   MILLS, TERMS, SCALE   the polynomial of model/special.py

#define THREADS 480
#define WARPS (THREADS / 32)
#define FULL 0xffffffffu

#if STORED == 0
typedef float Entry;
#define WIDTH 4
#else
typedef unsigned short Entry;
#define WIDTH 8
#endif

// Places in the state, which lives on the device so that iterations need no word from the host.
enum { COUNT, FEATURES, KEEP, TOLERANCE, PRIOR_VARIANCE, NOISE, SPREAD, USED_SPREAD, PRECISION, RESIDUAL, ITERATIONS,
       DONE, HISTORY };

__constant__ float COEFFICIENTS[TERMS] = {MILLS};

struct Ratio { float rho, excess; };

__device__ __forceinline__ Ratio mills(float u) {
    // rho = phi(u)/Phi(u) and rho + u, as in model/special.py
    const float x = fabsf(u), t = SCALE / (SCALE + x), argument = 2.0f * t - 1.0f;
    float value = COEFFICIENTS[0];
    #pragma unroll
    for (int i = 1; i < TERMS; ++i) value = value * argument + COEFFICIENTS[i];
    const float excess = t * value, tail = x + excess;
    if (u < 0.0f) return {tail, excess};
    const float density = 0.39894228f * expf(-0.5f * x * x), expected = density / (1.0f - density / tail);
    return {expected, expected + u};
}

__device__ __forceinline__ float normal(float u) {
    const float tail = 0.39894228f * expf(-0.5f * u * u) / mills(-fabsf(u)).rho;
    return u < 0.0f ? tail : 1.0f - tail;
}

// g and -g' of a label: of the sign where NOISE is added to V (probit), or of the sign flipped with chance NOISE
__device__ __forceinline__ void derivatives(float y, float omega, float V, float noise, float* g, float* slope) {
#if FLIP
    const float scale = rsqrtf(V), u = y * omega * scale, right = (1.0f - 2.0f * noise) * normal(u);
    const Ratio found = mills(u);
    const float share = right / (noise + right), rest = noise / (noise + right);
    *g = y * share * found.rho * scale;
    *slope = share * found.rho * (found.excess - rest * found.rho) * scale * scale;
#else
    const float scale = rsqrtf(V + noise);
    const Ratio found = mills(y * omega * scale);
    *g = y * found.rho * scale;
    *slope = found.rho * found.excess * scale * scale;
#endif
}

__device__ __forceinline__ void unpack(uint4 raw, float* out) {
#if STORED == 0
    out[0] = __uint_as_float(raw.x); out[1] = __uint_as_float(raw.y);
    out[2] = __uint_as_float(raw.z); out[3] = __uint_as_float(raw.w);
#else
    unsigned words[4] = {raw.x, raw.y, raw.z, raw.w};
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
    #if STORED == 1
        out[2 * i] = __uint_as_float(words[i] << 16);
        out[2 * i + 1] = __uint_as_float(words[i] & 0xffff0000u);
    #else
        asm("{.reg .b16 low, high; mov.b32 {low, high}, %2; cvt.f32.f16 %0, low; cvt.f32.f16 %1, high;}"
            : "=f"(out[2 * i]), "=f"(out[2 * i + 1]) : "r"(words[i]));
    #endif
    }
#endif
}

__device__ __forceinline__ float warp_sum(float value) {
    #pragma unroll
    for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(FULL, value, step);
    return value;
}

__device__ __forceinline__ double warp_sum(double value) {
    #pragma unroll
    for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(FULL, value, step);
    return value;
}

// --- barriers in shared memory, and the copies that report to them

__device__ __forceinline__ unsigned address(const void* pointer) {
    return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ __forceinline__ void set_up(unsigned barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(barrier), "r"(count) : "memory");
}

__device__ __forceinline__ void expect(unsigned barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(barrier) : "memory");
}

__device__ __forceinline__ void wait(unsigned barrier, unsigned phase) {
    unsigned over = 0;
    while (!over) {
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;"
                     " selp.u32 %0, 1, 0, p;}" : "=r"(over) : "r"(barrier), "r"(phase) : "memory");
    }
}

__device__ __forceinline__ void fetch(unsigned to, const void* from, unsigned bytes, unsigned barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

__device__ __forceinline__ unsigned elsewhere(unsigned local, unsigned part) {
    unsigned remote;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(part));
    return remote;
}

__device__ __forceinline__ void wait_for_all_parts() {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Sums of a set are told to other parts while up to two earlier sets are still read there.
#define SIDES 4

struct Shared {
    unsigned long long full[STAGES], empty[STAGES], told[SIDES];
    float of_warps[2][ROWS][WARPS];
    float of_parts[SIDES][PARTS][ROWS];
};

// What a lane knows of its row: the row of the set whose number is the lane's.
struct Row { int place; bool there; float label, norm, before, field; };

extern "C" __global__ void __cluster_dims__(PARTS, 1, 1) __launch_bounds__(THREADS + 32, 1)
amp_pass(const Entry* pool, const int* order, const float* labels, const float* norms, const float* mean,
         float* g, float* omega, float* partial, double* sums, const double* state, int pitch) {
    if (state[DONE] != 0.0) return;
    extern __shared__ __align__(128) unsigned char memory[];
    Shared& shared = *(Shared*)memory;
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const int part = blockIdx.x % PARTS, cluster = blockIdx.x / PARTS, clusters = gridDim.x / PARTS;
    const int wide = ((pitch + PARTS - 1) / PARTS + WIDTH - 1) / WIDTH * WIDTH;  // columns of a part, the last excepted
    const int count = (int)state[COUNT], first = part * wide, columns = max(0, min(wide, pitch - first));
    const int sets = (count + ROWS - 1) / ROWS, vectors = columns / WIDTH;
    const int mine_of_all = cluster < sets ? (sets - cluster + clusters - 1) / clusters : 0;
    Entry* stages = (Entry*)(memory + (sizeof(Shared) + 127) / 128 * 128);  // STAGES x ROWS x wide

    for (int i = thread; i < STAGES * ROWS * wide / WIDTH; i += THREADS + 32)
        ((uint4*)stages)[i] = make_uint4(0, 0, 0, 0);  // a row that is not there is read too, and counts nothing
    if (thread == 0) {
        for (int s = 0; s < STAGES; ++s) { set_up(address(&shared.full[s]), 1); set_up(address(&shared.empty[s]), WARPS); }
        for (int s = 0; s < SIDES; ++s) set_up(address(&shared.told[s]), PARTS);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    __syncthreads();
    if (PARTS > 1) wait_for_all_parts();

    if (warp == WARPS) {  // this warp only fetches: its lanes have a row of the set each
        for (int turn = 0; turn < mine_of_all; ++turn) {
            const int stage = turn % STAGES, at = (cluster + turn * clusters) * ROWS + lane;
            const bool there = lane < ROWS && at < count;
            const int row = there ? order[at] : 0;
            if (turn >= STAGES) wait(address(&shared.empty[stage]), ((turn / STAGES) - 1) & 1);
            const unsigned bytes = sizeof(Entry) * columns;
            const unsigned rows = __popc(__ballot_sync(FULL, there));
            if (lane == 0) expect(address(&shared.full[stage]), rows * bytes);
            __syncwarp();
            if (there && bytes)
                fetch(address(stages + (stage * ROWS + lane) * wide), pool + (long long)row * pitch + first, bytes,
                      address(&shared.full[stage]));
        }
    } else {
        float x[VECTORS * WIDTH], force[VECTORS * WIDTH];
        #pragma unroll
        for (int k = 0; k < VECTORS; ++k)
            #pragma unroll
            for (int e = 0; e < WIDTH; ++e) {
                const int column = (k * THREADS + thread) * WIDTH + e;
                x[k * WIDTH + e] = column < columns ? mean[first + column] : 0.0f;
                force[k * WIDTH + e] = 0.0f;
            }
        const float spread = (float)state[SPREAD], noise = (float)state[NOISE];
        double weight_sum = 0.0, moved_sum = 0.0;
        Row now = {0, false, 1.0f, 1.0f, 0.0f, 0.0f};
        const int start = cluster * ROWS + lane;
        int next = lane < ROWS && start < count ? order[start] : -1;  // a set ahead: nobody waits for it then
        for (int turn = 0; turn < mine_of_all + LAG; ++turn) {
            Row row = now;  // with a lag, that of the set before
            if (turn < mine_of_all) {
                const int stage = turn % STAGES, side = turn & 1;
                const int ahead = (cluster + (turn + 1) * clusters) * ROWS + lane;
                now.there = next >= 0;
                now.place = now.there ? next : 0;
                next = lane < ROWS && ahead < count ? order[ahead] : -1;
                now.label = now.there ? labels[now.place] : 1.0f;
                now.norm = now.there ? norms[now.place] : 1.0f;
                now.before = now.there ? g[now.place] : 0.0f;
                const uint4* rows = (const uint4*)(stages + stage * ROWS * wide);
                float sum[ROWS];
                #pragma unroll
                for (int r = 0; r < ROWS; ++r) sum[r] = 0.0f;
                wait(address(&shared.full[stage]), (turn / STAGES) & 1);
                #pragma unroll
                for (int k = 0; k < VECTORS; ++k)
                    if (k * THREADS + thread < vectors)
                        #pragma unroll
                        for (int r = 0; r < ROWS; ++r) {
                            float entry[WIDTH];
                            unpack(rows[r * (wide / WIDTH) + k * THREADS + thread], entry);
                            #pragma unroll
                            for (int e = 0; e < WIDTH; ++e) sum[r] += entry[e] * x[k * WIDTH + e];
                        }
                #pragma unroll
                for (int r = 0; r < ROWS; ++r) {
                    const float total = warp_sum(sum[r]);
                    if (lane == 0) shared.of_warps[side][r][warp] = total;
                }
                asm volatile("bar.sync 1, %0;" :: "n"(THREADS) : "memory");
                now.field = 0.0f;
                #pragma unroll
                for (int r = 0; r < ROWS; ++r) {
                    const float total = warp_sum(lane < WARPS ? shared.of_warps[side][r][lane] : 0.0f);
                    if (lane == r) now.field = total;
                    // a lane tells one part of the cluster, all at once: to let go of a sum takes long
                    if (PARTS > 1 && warp == 0 && lane < PARTS)
                        asm volatile("st.shared::cluster.f32 [%0], %1;"
                                     :: "r"(elsewhere(address(&shared.of_parts[turn % SIDES][part][r]), lane)), "f"(total)
                                     : "memory");
                }
                if (PARTS > 1 && warp == 0 && lane < PARTS)
                    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];"
                                 :: "r"(elsewhere(address(&shared.told[turn % SIDES]), lane)) : "memory");
            }
            const int set = turn - LAG;
            if (set < 0) continue;
            if (!LAG) row = now;
            if (PARTS > 1) {
                wait(address(&shared.told[set % SIDES]), (set / SIDES) & 1);
                row.field = 0.0f;
                if (lane < ROWS)
                    #pragma unroll
                    for (int p = 0; p < PARTS; ++p) row.field += shared.of_parts[set % SIDES][p][lane];
            }
            float mine = 0.0f;
            if (row.there) {
                const float V = row.norm * spread, cavity = row.field - V * row.before;
                float slope;
                derivatives(row.label, cavity, V, noise, &mine, &slope);
                if (warp == 0 && part == 0) {
                    g[row.place] = mine;
                    omega[row.place] = cavity;
                    weight_sum += (double)row.norm * slope;
                    moved_sum += (double)((mine - row.before) * (mine - row.before) * V);
                }
            }
            const uint4* rows = (const uint4*)(stages + (set % STAGES) * ROWS * wide);
            float answers[ROWS];
            #pragma unroll
            for (int r = 0; r < ROWS; ++r) answers[r] = __shfl_sync(FULL, mine, r);
            #pragma unroll
            for (int k = 0; k < VECTORS; ++k)
                if (k * THREADS + thread < vectors)
                    #pragma unroll
                    for (int r = 0; r < ROWS; ++r) {
                        float entry[WIDTH];
                        unpack(rows[r * (wide / WIDTH) + k * THREADS + thread], entry);
                        #pragma unroll
                        for (int e = 0; e < WIDTH; ++e) force[k * WIDTH + e] += entry[e] * answers[r];
                    }
            __syncwarp();
            if (lane == 0) arrive(address(&shared.empty[set % STAGES]));
        }
        #pragma unroll
        for (int k = 0; k < VECTORS; ++k)
            #pragma unroll
            for (int e = 0; e < WIDTH; ++e) {
                const int column = (k * THREADS + thread) * WIDTH + e;
                if (column < columns) partial[(long long)cluster * pitch + first + column] = force[k * WIDTH + e];
            }
        if (warp == 0 && part == 0) {
            weight_sum = warp_sum(weight_sum);
            moved_sum = warp_sum(moved_sum);
            if (lane == 0) { sums[2 * cluster] = weight_sum; sums[2 * cluster + 1] = moved_sum; }
        }
    }
    __syncwarp();
    if (PARTS > 1) wait_for_all_parts();  // nobody leaves while others may still write here
}

// New means and their variance for normal weights; the last block to end looks whether the iteration has come to rest.
extern "C" __global__ void __launch_bounds__(1024, 1)
amp_update(const float* partial, const double* sums, float* mean, float* b, double* moved, int* ticket, double* state,
           int clusters, int pitch, int room) {
    if (state[DONE] != 0.0) return;
    __shared__ float columns[32][33];
    __shared__ double precision_here;
    __shared__ int last;
    const int x = threadIdx.x & 31, y = threadIdx.x >> 5, column = blockIdx.x * 32 + x;
    const int features = (int)state[FEATURES];
    float total = 0.0f;
    if (column < features)
        for (int j = y; j < clusters; j += 32) total += partial[(long long)j * pitch + column];
    columns[y][x] = total;
    if (y == 31) {
        double sum = 0.0;
        for (int j = x; j < clusters; j += 32) sum += sums[2 * j];
        sum = warp_sum(sum);
        if (x == 0) precision_here = sum / features;
    }
    __syncthreads();
    const double precision = precision_here, prior = state[PRIOR_VARIANCE], keep = state[KEEP];
    const double variance = prior / (1.0 + prior * precision);
    if (y == 0) {
        double change = 0.0;
        if (column < features) {
            float force = 0.0f;
            #pragma unroll
            for (int j = 0; j < 32; ++j) force += columns[j][x];
            const double before = mean[column], field = precision * before + force, now = field * variance;
            b[column] = (float)field;
            mean[column] = (float)(now + keep * (before - now));
            change = (now - before) * (now - before);
        }
        change = warp_sum(change);
        if (x == 0) {
            moved[blockIdx.x] = change;
            __threadfence();
            last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
        }
    }
    __syncthreads();
    if (!last || y != 0) return;
    __threadfence();
    double weights = 0.0, rows = 0.0;
    for (int j = x; j < (int)gridDim.x; j += 32) weights += ((volatile double*)moved)[j];
    for (int j = x; j < clusters; j += 32) rows += sums[2 * j + 1];
    weights = warp_sum(weights);
    rows = warp_sum(rows);
    if (x == 0) {
        const double residual = sqrt(weights / (features * prior) + rows / state[COUNT]);
        const int turn = (int)state[ITERATIONS];
        state[USED_SPREAD] = state[SPREAD];
        state[SPREAD] = variance + keep * (state[SPREAD] - variance);
        state[PRECISION] = precision;
        state[RESIDUAL] = residual;
        state[HISTORY + turn % room] = residual;
        state[ITERATIONS] = turn + 1;
        if (residual <= state[TOLERANCE]) state[DONE] = 1.0;
        *ticket = 0;
    }
}

// The products of some rows with the means: a warp takes two rows at a time.
extern "C" __global__ void __launch_bounds__(512)
pool_dots(const Entry* pool, const int* order, int begin, int count, const float* mean, float* out, int pitch) {
    const int lane = threadIdx.x & 31, warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    const int warps = (gridDim.x * blockDim.x) >> 5, vectors = pitch / WIDTH;
    for (int at = 2 * warp; at < count; at += 2 * warps) {
        const int other = min(at + 1, count - 1);
        const uint4* one = (const uint4*)(pool + (long long)order[begin + at] * pitch);
        const uint4* two = (const uint4*)(pool + (long long)order[begin + other] * pitch);
        float first = 0.0f, second = 0.0f;
        #pragma unroll 4
        for (int v = lane; v < vectors; v += 32) {
            float x[WIDTH], entry[WIDTH], also[WIDTH];
            #pragma unroll
            for (int e = 0; e < WIDTH; e += 4) *(float4*)(x + e) = __ldg((const float4*)(mean + v * WIDTH + e));
            unpack(__ldcs(one + v), entry);
            unpack(__ldcs(two + v), also);
            #pragma unroll
            for (int e = 0; e < WIDTH; ++e) { first += entry[e] * x[e]; second += also[e] * x[e]; }
        }
        first = warp_sum(first);
        second = warp_sum(second);
        if (lane == 0) { out[at] = first; out[other] = other > at ? second : first; }
    }
}

// --- many small problems

__device__ __forceinline__ double log_normal(double u) {
    // ln Phi(u), from the scaled complementary error function
    const double scaled = erfcx(fabs(u) * 0.7071067811865476);
    const double tail = -0.5 * u * u + log(0.5 * scaled);
    return u < 0.0 ? tail : log1p(-exp(tail));
}

__device__ __forceinline__ double log_partition(double y, double omega, double V, double noise) {
#if FLIP
    const double u = y * omega / sqrt(V), right = exp(log_normal(u));
    return u < 0.0 ? log(noise + (1.0 - 2.0 * noise) * right)
                   : log1p(-noise - (1.0 - 2.0 * noise) * exp(log_normal(-u)));
#else
    return log_normal(y * omega / sqrt(V + noise));
#endif
}

// ln v of subsets of a pool's rows, with a variance for every weight: a warp takes one subset after the other, and has
// its rows in shared memory. Lanes are rows in one half of an iteration, and weights in the other.
extern "C" __global__ void __launch_bounds__(256)
subset_volumes(const float* pool, const float* labels, const int* subsets, float* volumes, unsigned char* converged,
               int count, int size, int features, double prior, double noise, double tolerance) {
    extern __shared__ float shared_rows[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, stride = features | 1;
    float* F = shared_rows + warp * (size * stride + 4 * features + 4 * size);
    float *mean = F + size * stride, *spread = mean + features, *precision = spread + features, *b = precision + features;
    float *g = b + features, *slope = g + size, *omega = slope + size, *width = omega + size;
    const float damping[4] = {0.0f, 0.3f, 0.6f, 0.85f};
    const int most[4] = {64, 152, 304, 600};
    for (int subset = blockIdx.x * warps + warp; subset < count; subset += gridDim.x * warps) {
        const int* rows = subsets + (long long)subset * size;
        for (int k = 0; k < size; ++k)
            for (int i = lane; i < features; i += 32) F[k * stride + i] = pool[(long long)rows[k] * features + i];
        bool rests = false;
        for (int attempt = 0; attempt < 4 && !rests; ++attempt) {
            for (int i = lane; i < features; i += 32) { mean[i] = 0.0f; spread[i] = (float)prior; }
            for (int k = lane; k < size; k += 32) g[k] = 0.0f;
            __syncwarp();
            for (int turn = 0; turn < most[attempt] && !rests; ++turn) {
                float moved_rows = 0.0f, moved_weights = 0.0f;
                for (int k = lane; k < size; k += 32) {
                    float V = 0.0f, field = 0.0f, answer, fall;
                    for (int i = 0; i < features; ++i) {
                        const float entry = F[k * stride + i];
                        V += entry * entry * spread[i];
                        field += entry * mean[i];
                    }
                    field -= V * g[k];
                    derivatives(labels[rows[k]], field, V, (float)noise, &answer, &fall);
                    moved_rows += (answer - g[k]) * (answer - g[k]) * V;
                    g[k] = answer; slope[k] = fall; omega[k] = field; width[k] = V;
                }
                __syncwarp();
                for (int i = lane; i < features; i += 32) {
                    float A = 0.0f, force = 0.0f;
                    for (int k = 0; k < size; ++k) {
                        const float entry = F[k * stride + i];
                        A += entry * entry * slope[k];
                        force += entry * g[k];
                    }
                    const float field = A * mean[i] + force, variance = (float)prior / (1.0f + (float)prior * A);
                    const float now = field * variance;
                    precision[i] = A; b[i] = field;
                    moved_weights += (now - mean[i]) * (now - mean[i]);
                    mean[i] = now + damping[attempt] * (mean[i] - now);
                    spread[i] = variance + damping[attempt] * (spread[i] - variance);
                }
                __syncwarp();
                const float change = warp_sum(moved_weights) / (features * (float)prior) + warp_sum(moved_rows) / size;
                rests = change <= (float)(tolerance * tolerance);
            }
        }
        double total = 0.0;
        for (int i = lane; i < features; i += 32) {
            const double A = precision[i], field = b[i], variance = prior / (1.0 + prior * A), now = field * variance;
            total += -0.5 * log1p(prior * A) + 0.5 * field * now - field * now + 0.5 * A * (now * now + variance);
        }
        for (int k = lane; k < size; k += 32)
            total += log_partition(labels[rows[k]], omega[k], width[k], noise) + 0.5 * (double)width[k] * g[k] * g[k];
        total = warp_sum(total);
        if (lane == 0) { volumes[subset] = (float)(total / features); converged[subset] = rests; }
        __syncwarp();
    }
}
