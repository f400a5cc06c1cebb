// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/keras_optimizers.h"

#include "core/spec/optimizers.pb.h"

#include <cmath>

namespace cannery::optimizers {
namespace {

/// 1 - beta, which Keras's new optimizers compute in double.
float restOf(double beta)
{
    return static_cast<float>(1.0 - beta);
}

float powerOf(double beta, std::int64_t exponent)
{
    return std::pow(static_cast<float>(beta), static_cast<float>(exponent));
}

/// What all of them share: the message of their kind.
template <typename Message>
class KerasOptimizer : public Optimizer
{
public:
    KerasOptimizer(std::string_view className, const Message& message, OptimizerCommon common)
        : Optimizer(className, static_cast<float>(message.learning_rate()), std::move(common),
                    Generation::Keras),
          m_message(message)
    {}

protected:
    const Message& message() const { return m_message; }

private:
    Message m_message;
};

class KerasSgd : public KerasOptimizer<spec::SgdOptimizer>
{
public:
    KerasSgd(const spec::SgdOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("SGD", message, std::move(common))
    {
        addSlot("m");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        // Keras fills the slot even where the momentum is 0.
        return kernels::KerasMomentumUpdate{
            .sgd = {.learningRate = learningRate,
                    .momentum = static_cast<float>(message().momentum()),
                    .nesterov = message().nesterov()}};
    }
};

class KerasAdagrad : public KerasOptimizer<spec::AdagradOptimizer>
{
public:
    KerasAdagrad(const spec::AdagradOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("Adagrad", message, std::move(common))
    {
        addSlot("accumulator", static_cast<float>(message.initial_accumulator_value()));
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::KerasAdagradUpdate{.learningRate = learningRate,
                                           .epsilon = static_cast<float>(message().epsilon())};
    }
};

/// The rule is that of the legacy Adam but for the rounding of 1 - beta.
template <typename Message>
class KerasAdam : public KerasOptimizer<Message>
{
public:
    KerasAdam(std::string_view className, const Message& message, bool amsgrad,
              OptimizerCommon common)
        : KerasOptimizer<Message>(className, message, std::move(common)), m_amsgrad(amsgrad)
    {
        this->addSlot("m");
        this->addSlot("v");
        if (amsgrad) {
            this->addSlot("vhat");
        }
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        const Message& message = this->message();
        kernels::AdamUpdate update{.learningRate = learningRate,
                                   .beta1 = static_cast<float>(message.beta_1()),
                                   .beta2 = static_cast<float>(message.beta_2()),
                                   .epsilon = static_cast<float>(message.epsilon()),
                                   .amsgrad = m_amsgrad};
        update.setIterations(iterations);
        update.take1 = restOf(message.beta_1());
        update.take2 = restOf(message.beta_2());
        return update;
    }

    bool m_amsgrad;
};

class KerasRmsprop : public KerasOptimizer<spec::RmspropOptimizer>
{
public:
    KerasRmsprop(const spec::RmspropOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("RMSprop", message, std::move(common))
    {
        addSlot("velocity");
        if (message.momentum() > 0) {
            addSlot("momentum");
        } else {
            skipSecondSlot();
        }
        if (message.centered()) {
            addSlot("average_gradient");
        }
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::KerasRmsPropUpdate{.learningRate = learningRate,
                                           .rho = static_cast<float>(message().rho()),
                                           .take = restOf(message().rho()),
                                           .momentum = static_cast<float>(message().momentum()),
                                           .epsilon = static_cast<float>(message().epsilon()),
                                           .centered = message().centered()};
    }
};

class KerasFtrl : public KerasOptimizer<spec::FtrlOptimizer>
{
public:
    KerasFtrl(const spec::FtrlOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("Ftrl", message, std::move(common))
    {
        addSlot("accumulator", static_cast<float>(message.initial_accumulator_value()));
        addSlot("linear");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        const auto number = [](double value) { return static_cast<float>(value); };
        return kernels::KerasFtrlUpdate{
            {.learningRate = learningRate,
             .learningRatePower = number(message().learning_rate_power()),
             .l1 = number(message().l1_regularization_strength()),
             .l2 = number(message().l2_regularization_strength()),
             .l2Shrinkage = number(message().l2_shrinkage_regularization_strength()),
             .beta = number(message().beta())}};
    }
};

class KerasNadam : public KerasOptimizer<spec::NadamOptimizer>
{
public:
    KerasNadam(const spec::NadamOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("Nadam", message, std::move(common))
    {
        addScalar("u_product", 1.0F);
        addSlot("m");
        addSlot("v");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        const float now = momentumOf(iterations + 1);
        const float next = momentumOf(iterations + 2);
        const float product = scalar("u_product") * now;
        // The product goes on from step to step, and into checkpoints.
        setScalar("u_product", product);
        // Unlike the others, Keras's Nadam computes 1 - beta in float.
        return kernels::KerasNadamUpdate{.learningRate = learningRate,
                                         .take1 = 1.0F - static_cast<float>(message().beta_1()),
                                         .take2 = 1.0F - static_cast<float>(message().beta_2()),
                                         .epsilon = static_cast<float>(message().epsilon()),
                                         .ofMean = next / (1.0F - product * next),
                                         .ofGradient = (1.0F - now) / (1.0F - product),
                                         .rest2 =
                                             1.0F - powerOf(message().beta_2(), iterations + 1)};
    }

    /// u_t
    float momentumOf(std::int64_t step) const
    {
        return static_cast<float>(message().beta_1()) * (1.0F - 0.5F * powerOf(0.96, step));
    }
};

class KerasAdadelta : public KerasOptimizer<spec::AdadeltaOptimizer>
{
public:
    KerasAdadelta(const spec::AdadeltaOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("Adadelta", message, std::move(common))
    {
        addSlot("accumulated_grad");
        addSlot("accumulated_delta_var");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t) override
    {
        return kernels::KerasAdadeltaUpdate{.learningRate = learningRate,
                                            .rho = static_cast<float>(message().rho()),
                                            .take = restOf(message().rho()),
                                            .epsilon = static_cast<float>(message().epsilon())};
    }
};

class KerasAdamax : public KerasOptimizer<spec::AdamaxOptimizer>
{
public:
    KerasAdamax(const spec::AdamaxOptimizer& message, OptimizerCommon common)
        : KerasOptimizer("Adamax", message, std::move(common))
    {
        addSlot("m");
        addSlot("u");
    }

private:
    kernels::OptimizerUpdate makeUpdate(float learningRate, std::int64_t iterations) override
    {
        return kernels::KerasAdamaxUpdate{
            .rate = learningRate / (1.0F - powerOf(message().beta_1(), iterations + 1)),
            .take1 = restOf(message().beta_1()),
            .beta2 = static_cast<float>(message().beta_2()),
            .epsilon = static_cast<float>(message().epsilon())};
    }
};

} // namespace

std::unique_ptr<Optimizer> makeKerasSgd(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasSgd>(message.sgd(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasAdagrad(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasAdagrad>(message.adagrad(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasAdam(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasAdam<spec::AdamOptimizer>>(
        "Adam", message.adam(), message.adam().amsgrad(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasAdamW(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasAdam<spec::AdamWOptimizer>>("AdamW", message.adamw(), false,
                                                             std::move(common));
}

std::unique_ptr<Optimizer> makeKerasRmsprop(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasRmsprop>(message.rmsprop(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasFtrl(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasFtrl>(message.ftrl(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasNadam(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasNadam>(message.nadam(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasAdadelta(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasAdadelta>(message.adadelta(), std::move(common));
}

std::unique_ptr<Optimizer> makeKerasAdamax(const spec::Optimizer& message, OptimizerCommon common)
{
    return std::make_unique<KerasAdamax>(message.adamax(), std::move(common));
}

} // namespace cannery::optimizers
