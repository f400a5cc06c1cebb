// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/gradients.h"
#include "kernels/accelerator/bodies/loss.h"
#include "kernels/accelerator/bodies/totals.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const LossOf&);
template void queue(CudaLauncher&, const SumLosses&);
template void queue(CudaLauncher&, const ClipByValue&);
template void queue(CudaLauncher&, const SumOfSquares&);
template void queue(CudaLauncher&, const ScaleByNorm&);

} // namespace cannery::kernels::cuda
