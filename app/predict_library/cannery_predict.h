// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_PREDICT_H
#define CANNERY_PREDICT_H

/// Predictions by a model of Cannery inside a program, one row in a few microseconds.
///
///     cannery_model* model = NULL;
///     cannery_request* request = NULL;
///     size_t age = 0, probabilities = 0;
///     if (cannery_model_open("runs/run-001", NULL, &model) != CANNERY_OK ||
///         cannery_model_find_input(model, "age", &age) != CANNERY_OK ||
///         cannery_model_find_output(model, "probabilities", &probabilities) != CANNERY_OK ||
///         cannery_request_create(model, &request) != CANNERY_OK ||
///         cannery_request_set_number(request, age, 42) != CANNERY_OK ||
///         cannery_request_predict(request) != CANNERY_OK) {
///         fprintf(stderr, "%s\n", cannery_error_message());
///     } else {
///         printf("%f\n", cannery_request_floats(request, probabilities)[1]);
///     }
///     cannery_request_free(request);
///     cannery_model_close(model);
///
/// Predictions have the bits of `cannery predict`.
///
/// Threads: one model may be used by any number of threads at a time; a request belongs to one
/// thread at a time. Make one request per thread and keep it: its memory is reused from row to row.
///
/// Memory: what the library returns belongs to it. Names live as long as the model; predictions
/// until the next call that changes the request. Texts given to it are copied. A model may be
/// closed while it still has requests; it goes with the last of them.
///
/// Errors: every function that returns a cannery_status can fail, and leaves what it was to change
/// usable. No exception leaves the library, it prints nothing, and it handles no signals.
///
/// Processor: the one that the library was built for, usually x86-64-v3 (AVX2 and FMA).

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Grows when functions are added; those that are here stay.
#define CANNERY_PREDICT_API 1

/// The version that the library has been built with, to be compared with CANNERY_PREDICT_API.
int cannery_predict_api(void);

/// TensorFlow's status codes, with their numbers.
typedef enum cannery_status
{
    CANNERY_OK = 0,
    CANNERY_CANCELLED = 1,
    CANNERY_UNKNOWN = 2,
    CANNERY_INVALID_ARGUMENT = 3,
    CANNERY_DEADLINE_EXCEEDED = 4,
    CANNERY_NOT_FOUND = 5,
    CANNERY_ALREADY_EXISTS = 6,
    CANNERY_PERMISSION_DENIED = 7,
    CANNERY_RESOURCE_EXHAUSTED = 8,
    CANNERY_FAILED_PRECONDITION = 9,
    CANNERY_ABORTED = 10,
    CANNERY_OUT_OF_RANGE = 11,
    CANNERY_UNIMPLEMENTED = 12,
    CANNERY_INTERNAL = 13,
    CANNERY_UNAVAILABLE = 14,
    CANNERY_DATA_LOSS = 15
} cannery_status;

/// TensorFlow's data types, with their numbers.
typedef enum cannery_type
{
    CANNERY_FLOAT32 = 1,
    CANNERY_FLOAT64 = 2,
    CANNERY_INT32 = 3,
    CANNERY_STRING = 7,
    CANNERY_INT64 = 9
} cannery_type;

/// Bytes, not necessarily ended by a zero.
typedef struct cannery_text
{
    const char* data;
    size_t size;
} cannery_text;

typedef struct cannery_model cannery_model;
typedef struct cannery_request cannery_request;

/// The last error of the calling thread: a sentence that says what, where and the cure, and a
/// stable id such as "predict.cell". Empty before the first one; valid until the thread's next
/// error.
const char* cannery_error_message(void);
const char* cannery_error_id(void);

/// How a model is opened. Initialize one with CANNERY_OPTIONS.
typedef struct cannery_options
{
    size_t size;            ///< of this struct
    const char* checkpoint; ///< of a run: "latest", "best" or a step; NULL: the latest
    int explain;            ///< not 0: also what each input contributes; boosted trees only
} cannery_options;
#define CANNERY_OPTIONS                                                                            \
    {                                                                                              \
        sizeof(cannery_options), NULL, 0                                                           \
    }

/// Opens the folder of a run, a checkpoint in one ("runs/run-001/model.ckpt-200"), or a SavedModel
/// that Cannery has exported. `options` may be NULL. Reads files only now, never later. A model
/// that predicts every step of a row (return_sequences) is refused.
cannery_status cannery_model_open(const char* path, const cannery_options* options,
                                  cannery_model** model);
/// NULL is allowed.
void cannery_model_close(cannery_model* model);

/// The training step of the model.
int64_t cannery_model_global_step(const cannery_model* model);

/// The raw features that the model reads, as in the signature of its SavedModel. `count` is the
/// number of values in a row; 0: any number, such as a split cell or the steps of a sequence.
size_t cannery_model_input_count(const cannery_model* model);
cannery_status cannery_model_find_input(const cannery_model* model, const char* name,
                                        size_t* input);
cannery_status cannery_model_input(const cannery_model* model, size_t input, const char** name,
                                   cannery_type* type, size_t* count);

/// What it predicts, under TensorFlow's keys ("probabilities", "classes", or "head/classes" of one
/// of several heads). `count` is the number of values for a row. Pointers may be NULL.
size_t cannery_model_output_count(const cannery_model* model);
cannery_status cannery_model_find_output(const cannery_model* model, const char* name,
                                         size_t* output);
cannery_status cannery_model_output(const cannery_model* model, size_t output, const char** name,
                                    cannery_type* type, size_t* count);

/// A row to be filled in, and its prediction. All cells are missing at first.
cannery_status cannery_request_create(cannery_model* model, cannery_request** request);
/// NULL is allowed.
void cannery_request_free(cannery_request* request);

/// A cell keeps its value from row to row until it is set or cleared. A missing cell means what it
/// means in the training table: the column's default, no category, or an error of the prediction.
/// After an error of type INVALID_ARGUMENT ("predict.cell", "predict.cell_count") the cell is
/// missing.
cannery_status cannery_request_set_number(cannery_request* request, size_t input, double number);
cannery_status cannery_request_set_integer(cannery_request* request, size_t input, int64_t number);
/// A text, a number, or several values with their separator, as the training table would hold them;
/// the empty text, a missing token and NaN are missing cells. The part of a date is a number.
cannery_status cannery_request_set_text(cannery_request* request, size_t input, const char* text,
                                        size_t size);
/// For inputs of several values. An empty text, or NaN, of a stack is a missing cell of its column;
/// of other inputs, empty texts do not count, and NaN is refused.
cannery_status cannery_request_set_numbers(cannery_request* request, size_t input,
                                           const double* numbers, size_t count);
cannery_status cannery_request_set_texts(cannery_request* request, size_t input,
                                         const cannery_text* texts, size_t count);
cannery_status cannery_request_clear(cannery_request* request, size_t input);
cannery_status cannery_request_clear_all(cannery_request* request);

/// Predicts the row as it is filled in.
cannery_status cannery_request_predict(cannery_request* request);

/// Many rows at a time take less time each: add them one by one, then predict all that were added.
/// After an error none has been predicted; the sentence names the first wrong row, from 1. Either
/// way the next row that is added is the first again.
cannery_status cannery_request_add_row(cannery_request* request);
cannery_status cannery_request_predict_rows(cannery_request* request);

/// The predictions of the last call, which had that many rows: `count` values a row, row after row.
/// NULL if the output has another type (integers: INT32 and INT64), or before the first prediction.
size_t cannery_request_row_count(const cannery_request* request);
const float* cannery_request_floats(const cannery_request* request, size_t output);
const int64_t* cannery_request_integers(const cannery_request* request, size_t output);
const cannery_text* cannery_request_texts(cannery_request* request, size_t output);

#ifdef __cplusplus
}
#endif

#endif
