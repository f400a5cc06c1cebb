// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/activation.h"
#include "kernels/accelerator/bodies/column_sums.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const Activate&);
template void queue(CudaLauncher&, const ActivateBackward&);
template void queue(CudaLauncher&, const SumRows&);

} // namespace cannery::kernels::cuda
