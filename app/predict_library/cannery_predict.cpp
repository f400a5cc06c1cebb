// SPDX-License-Identifier: Apache-2.0
// The seam between C and the engine. Compiled for plain x86-64, because it checks the processor.
#include "app/predict_library/cannery_predict.h"

#include "app/predict_library/last_error.h"
#include "app/predict_library/prediction_request.h"
#include "app/predict_library/shared_model.h"
#include "core/base/processor.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace cannery;
using namespace cannery::app;

struct cannery_model
{
    std::shared_ptr<SharedModel> model;
};

struct cannery_request
{
    std::unique_ptr<PredictionRequest> request;
};

namespace {

constexpr ErrorKind kNull{"predict.null", "{} is NULL."};
constexpr ErrorKind kNoInput{"predict.no_input", "The model has {} inputs, none with index {}."};
constexpr ErrorKind kNoOutput{"predict.no_output", "The model has {} outputs, none with index {}."};
constexpr ErrorKind kOptions{"predict.options",
                             "The options have no size: initialize them with CANNERY_OPTIONS."};
/// Of versions to come.
constexpr std::size_t kLargestOptions = 4096;

constexpr ErrorKind kOldProcessor{
    "predict.processor",
    "Cannery needs an x86-64-v3 processor (AVX2 and FMA; Intel since 2013, AMD since 2015), and "
    "this one is older."};

tl::unexpected<Error> nullError(std::string_view what)
{
    return fail(ErrorCode::InvalidArgument, kNull, what);
}

/// What a program has set of the options that its header knew.
Result<void> readOptions(const cannery_options& options, cannery_options& known)
{
    // Zeroed or uninitialized options have no size, or an absurd one.
    if (options.size == 0 || options.size > kLargestOptions) {
        return fail(ErrorCode::InvalidArgument, kOptions);
    }
    // A program with an older header gives fewer bytes; the rest keeps its defaults. One with a
    // newer header gives more, which this version does not know.
    std::memcpy(&known, &options, std::min(options.size, sizeof(known)));
    return {};
}

template <typename Value>
void give(Value* place, Value value)
{
    if (place != nullptr) {
        *place = value;
    }
}

Result<void> describe(const std::vector<SharedModel::Port>& ports, const ErrorKind& none,
                      std::size_t index, const char** name, cannery_type* type, std::size_t* count)
{
    if (index >= ports.size()) {
        return fail(ErrorCode::OutOfRange, none, ports.size(), index);
    }
    const SharedModel::Port& port = ports[index];
    give(name, port.name.c_str());
    give(type, static_cast<cannery_type>(port.dtype));
    give(count, port.count);
    return {};
}

/// Calls `work` with an existing input of a request.
template <typename Work>
cannery_status withInput(cannery_request* request, std::size_t input, const Work& work)
{
    return statusOf([&]() -> Result<void> {
        if (request == nullptr) {
            return nullError("The request");
        }
        const std::size_t count = request->request->row().features().size();
        if (input >= count) {
            return fail(ErrorCode::OutOfRange, kNoInput, count, input);
        }
        return work(*request->request, serving::FeatureSlot{input});
    });
}

template <typename Work>
cannery_status withRequest(cannery_request* request, const Work& work)
{
    return statusOf([&]() -> Result<void> {
        return request == nullptr ? nullError("The request") : work(*request->request);
    });
}

/// The values of an output; null, and the thread's error, if there are none.
template <typename Request, typename Work>
auto valuesOf(Request* request, const Work& work)
{
    decltype(work(*request->request)->data()) values = nullptr;
    static_cast<void>(statusOf([&]() -> Result<void> {
        if (request == nullptr) {
            return nullError("The request");
        }
        CANNERY_TRY_ASSIGN(const auto found, work(*request->request));
        values = found.data();
        return {};
    }));
    return values;
}

} // namespace

extern "C" {

int cannery_predict_api(void)
{
    return CANNERY_PREDICT_API;
}

const char* cannery_error_message(void)
{
    return lastErrorMessage();
}

const char* cannery_error_id(void)
{
    return lastErrorId();
}

cannery_status cannery_model_open(const char* path, const cannery_options* options,
                                  cannery_model** model)
{
    return statusOf([&]() -> Result<void> {
        if (path == nullptr || model == nullptr) {
            return nullError(path == nullptr ? "The path of the model" : "The place of the model");
        }
        // Before anything can fail, so that closing it after an error is harmless.
        *model = nullptr;
        // Before the first call into code that is compiled for a newer processor.
        if (!processorIsSupported()) {
            return fail(ErrorCode::FailedPrecondition, kOldProcessor);
        }
        cannery_options given = CANNERY_OPTIONS;
        if (options != nullptr) {
            CANNERY_TRY(readOptions(*options, given));
        }
        CANNERY_TRY_ASSIGN(std::shared_ptr<SharedModel> opened,
                           SharedModel::open(path,
                                             given.checkpoint == nullptr ? "" : given.checkpoint,
                                             given.explain != 0));
        *model = new cannery_model{std::move(opened)};
        return {};
    });
}

void cannery_model_close(cannery_model* model)
{
    delete model;
}

int64_t cannery_model_global_step(const cannery_model* model)
{
    return model == nullptr ? 0 : model->model->globalStep();
}

size_t cannery_model_input_count(const cannery_model* model)
{
    return model == nullptr ? 0 : model->model->inputs().size();
}

cannery_status cannery_model_find_input(const cannery_model* model, const char* name, size_t* input)
{
    return statusOf([&]() -> Result<void> {
        if (model == nullptr || name == nullptr || input == nullptr) {
            return nullError(model == nullptr ? "The model" : "An argument");
        }
        CANNERY_TRY_ASSIGN(*input, model->model->findInput(name));
        return {};
    });
}

cannery_status cannery_model_input(const cannery_model* model, size_t input, const char** name,
                                   cannery_type* type, size_t* count)
{
    return statusOf([&]() -> Result<void> {
        return model == nullptr
                   ? nullError("The model")
                   : describe(model->model->inputs(), kNoInput, input, name, type, count);
    });
}

size_t cannery_model_output_count(const cannery_model* model)
{
    return model == nullptr ? 0 : model->model->outputs().size();
}

cannery_status cannery_model_find_output(const cannery_model* model, const char* name,
                                         size_t* output)
{
    return statusOf([&]() -> Result<void> {
        if (model == nullptr || name == nullptr || output == nullptr) {
            return nullError(model == nullptr ? "The model" : "An argument");
        }
        CANNERY_TRY_ASSIGN(*output, model->model->findOutput(name));
        return {};
    });
}

cannery_status cannery_model_output(const cannery_model* model, size_t output, const char** name,
                                    cannery_type* type, size_t* count)
{
    return statusOf([&]() -> Result<void> {
        return model == nullptr
                   ? nullError("The model")
                   : describe(model->model->outputs(), kNoOutput, output, name, type, count);
    });
}

cannery_status cannery_request_create(cannery_model* model, cannery_request** request)
{
    return statusOf([&]() -> Result<void> {
        if (model == nullptr || request == nullptr) {
            return nullError(model == nullptr ? "The model" : "The place of the request");
        }
        *request = nullptr;
        CANNERY_TRY_ASSIGN(std::unique_ptr<PredictionRequest> made,
                           PredictionRequest::create(model->model));
        *request = new cannery_request{std::move(made)};
        return {};
    });
}

void cannery_request_free(cannery_request* request)
{
    delete request;
}

cannery_status cannery_request_set_number(cannery_request* request, size_t input, double number)
{
    return withInput(request, input, [&](PredictionRequest& made, serving::FeatureSlot slot) {
        return made.row().setNumber(slot, number);
    });
}

cannery_status cannery_request_set_integer(cannery_request* request, size_t input, int64_t number)
{
    return withInput(request, input, [&](PredictionRequest& made, serving::FeatureSlot slot) {
        return made.row().setInteger(slot, number);
    });
}

cannery_status cannery_request_set_text(cannery_request* request, size_t input, const char* text,
                                        size_t size)
{
    return withInput(request, input,
                     [&](PredictionRequest& made, serving::FeatureSlot slot) -> Result<void> {
                         // NULL with a size of 0 is an empty text, as containers in other languages
                         // give it.
                         if (text == nullptr && size > 0) {
                             return nullError("The text");
                         }
                         return made.row().setText(slot, std::string_view(text, size));
                     });
}

cannery_status cannery_request_set_numbers(cannery_request* request, size_t input,
                                           const double* numbers, size_t count)
{
    return withInput(request, input,
                     [&](PredictionRequest& made, serving::FeatureSlot slot) -> Result<void> {
                         if (numbers == nullptr && count > 0) {
                             return nullError("The list of numbers");
                         }
                         return made.row().setNumbers(slot, std::span(numbers, count));
                     });
}

cannery_status cannery_request_set_texts(cannery_request* request, size_t input,
                                         const cannery_text* texts, size_t count)
{
    return withInput(request, input,
                     [&](PredictionRequest& made, serving::FeatureSlot slot) -> Result<void> {
                         if (texts == nullptr && count > 0) {
                             return nullError("The list of texts");
                         }
                         std::vector<std::string_view> views;
                         views.reserve(count);
                         for (const cannery_text& text : std::span(texts, count)) {
                             if (text.data == nullptr && text.size > 0) {
                                 return nullError("A text");
                             }
                             views.emplace_back(text.data, text.size);
                         }
                         return made.row().setTexts(slot, views);
                     });
}

cannery_status cannery_request_clear(cannery_request* request, size_t input)
{
    return withInput(request, input,
                     [&](PredictionRequest& made, serving::FeatureSlot slot) -> Result<void> {
                         made.row().clear(slot);
                         return {};
                     });
}

cannery_status cannery_request_clear_all(cannery_request* request)
{
    return withRequest(request, [](PredictionRequest& made) -> Result<void> {
        made.row().clearAll();
        return {};
    });
}

cannery_status cannery_request_predict(cannery_request* request)
{
    return withRequest(request, [](PredictionRequest& made) { return made.predict(); });
}

cannery_status cannery_request_add_row(cannery_request* request)
{
    return withRequest(request, [](PredictionRequest& made) -> Result<void> {
        made.addRow();
        return {};
    });
}

cannery_status cannery_request_predict_rows(cannery_request* request)
{
    return withRequest(request, [](PredictionRequest& made) { return made.predictRows(); });
}

size_t cannery_request_row_count(const cannery_request* request)
{
    return request == nullptr ? 0 : request->request->rowCount();
}

const float* cannery_request_floats(const cannery_request* request, size_t output)
{
    return valuesOf(request, [&](const PredictionRequest& made) { return made.floats(output); });
}

const int64_t* cannery_request_integers(const cannery_request* request, size_t output)
{
    return valuesOf(request, [&](const PredictionRequest& made) { return made.integers(output); });
}

const cannery_text* cannery_request_texts(cannery_request* request, size_t output)
{
    return valuesOf(request, [&](PredictionRequest& made) { return made.texts(output); });
}

} // extern "C"
