// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/histogram.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const SumGradients&);

} // namespace cannery::kernels::cuda
