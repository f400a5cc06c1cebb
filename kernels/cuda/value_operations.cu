// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/bodies/dropout.h"
#include "kernels/accelerator/bodies/gather.h"
#include "kernels/accelerator/bodies/parts.h"
#include "kernels/accelerator/bodies/values.h"
#include "kernels/cuda/launch.cuh"

namespace cannery::kernels::cuda {

template void queue(CudaLauncher&, const AdvanceStep&);
template void queue(CudaLauncher&, const GatherRows&);
template void queue(CudaLauncher&, const GatherIds&);
template void queue(CudaLauncher&, const FillValues&);
template void queue(CudaLauncher&, const CopyValues&);
template void queue(CudaLauncher&, const MeanOfColumns&);
template void queue(CudaLauncher&, const KeepLoss&);
template void queue(CudaLauncher&, const KeepValues&);
template void queue(CudaLauncher&, const Dropout&);
template void queue(CudaLauncher&, const SumParts&);

} // namespace cannery::kernels::cuda
