// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/optimizer.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const DenseUpdate&);
template void queue(CudaLauncher&, const SparseUpdate&);
template void queue(CudaLauncher&, const AverageWeights&);
template void queue(CudaLauncher&, const UpdateMoving&);

} // namespace cannery::kernels::cuda
