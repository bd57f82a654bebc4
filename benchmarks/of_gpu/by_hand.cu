// The programs as kernels written by hand. All parameters take 8 bytes.
#include <cooperative_groups.h>

namespace groups = cooperative_groups;
typedef long long word;

static __device__ word first() { return blockIdx.x * (word)blockDim.x + threadIdx.x; }
static __device__ word count() { return gridDim.x * (word)blockDim.x; }

template <class T> static __device__ T warp_sum(T x) {
    for (int lanes = 16; lanes; lanes >>= 1) x += __shfl_down_sync(~0u, x, lanes);
    return x;
}

// The sum of one number of each thread of a block, in all of its threads.
template <class T> static __device__ T block_sum(T x, T* partial) {
    x = warp_sum(x);
    __syncthreads();
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = x;
    __syncthreads();
    x = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : T(0);
    if (threadIdx.x < 32) x = warp_sum(x);
    if (threadIdx.x == 0) partial[0] = x;
    __syncthreads();
    return partial[0];
}

extern "C" __global__ void mandelbrot(word size, word* out, const double* cr, const double* ci) {
    word i = first();
    if (i >= size) return;
    double x = 0, y = 0, a = cr[i], b = ci[i];
    word n = 0;
    while (x * x + y * y <= 4.0 && n < 1000) {
        double next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
        n++;
    }
    out[i] = n;
}

extern "C" __global__ void collatz(word size, word* out) {
    word i = first();
    if (i >= size) return;
    word x = i + 1, n = 0;
    while (x != 1) {
        x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        n++;
    }
    out[i] = n;
}

extern "C" __global__ void newton(word size, double* out, const double* numbers) {
    word i = first();
    if (i >= size) return;
    double a = numbers[i], x = a;
    for (int n = 0; fabs(x * x * x - a) > 1e-12 * a && n < 200; n++)
        x -= (x * x * x - a) / (3.0 * x * x);
    out[i] = x;
}

extern "C" __global__ void fill(word size, float* x, double* sums) {
    for (word i = first(); i < size; i += count()) x[i] = 100;
    if (first() < 3) sums[first()] = 0;
}

// One block: each thread has one element, which stays in a register.
extern "C" __global__ void tanh_block(word size, float* x) {
    __shared__ float partial[32];
    float own = threadIdx.x < size ? x[threadIdx.x] : 0;
    for (int n = 0; n < 1000 && block_sum(own, partial) > 1; n++) own = tanhf(own);
    if (threadIdx.x < size) x[threadIdx.x] = own;
}

extern "C" __global__ void tanh_grid(word size, float* x, double* sums) {
    __shared__ double partial[32];
    auto grid = groups::this_grid();
    for (int n = 0; n < 1000; n++) {
        double sum = 0;
        for (word i = first(); i < size; i += count()) sum += x[i];
        sum = block_sum(sum, partial);
        if (threadIdx.x == 0) atomicAdd(&sums[n % 3], sum);
        if (first() == 0) sums[(n + 1) % 3] = 0;
        grid.sync();
        if (!(((volatile double*)sums)[n % 3] > 1)) break;
        for (word i = first(); i < size; i += count()) x[i] = tanhf(x[i]);
    }
}

extern "C" __global__ void sines(double* x, word steps) {
    double own = *x;
    for (word i = 0; i < steps; i++) own = sin(own) + 1.0;
    *x = own;
}

extern "C" __global__ void quadratic_map(double* x, word steps) {
    double own = *x;
    for (word i = 0; i < steps; i++) own = 4.0 * own * (1.0 - own);
    *x = own;
}

extern "C" __global__ void heat(word side, word steps, float* a, float* b) {
    auto grid = groups::this_grid();
    int n = side;
    for (word step = 0; step < steps; step++) {
        for (word i = first(); i < side * side; i += count()) {
            int row = i / n, column = i % n;
            bool inside = row && column && row < n - 1 && column < n - 1;
            b[i] = inside ? 0.25f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n]) : a[i];
        }
        grid.sync();
        float* other = a;
        a = b;
        b = other;
    }
}

extern "C" __global__ void gelu(word size, float* out, const float* numbers) {
    for (word i = first(); i < size; i += count()) {
        float x = numbers[i];
        out[i] = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
    }
}

extern "C" __global__ void small_call(word size, float* out, const float* x) {
    word i = first();
    if (i < size) out[i] = x[i] * 2 + 1;
}
