// SPDX-License-Identifier: Apache-2.0
// Predictions inside a C program.
//
//     cc predict_rows.c $(pkg-config --cflags --libs cannery_predict) -o predict_rows
//     ./predict_rows runs/run-001                           says what the model reads
//     ./predict_rows runs/run-001 sex=male age=22           predicts a row
//     ./predict_rows runs/run-001 sex=male age=22 -- age=40 predicts several: what a row does not
//                                                           set is as in the row before
#include <cannery_predict.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int fail(void)
{
    fprintf(stderr, "error: %s\n", cannery_error_message());
    return 1;
}

static int describe(const cannery_model* model)
{
    for (size_t input = 0; input < cannery_model_input_count(model); ++input) {
        const char* name = NULL;
        cannery_type type = CANNERY_STRING;
        size_t count = 0;
        if (cannery_model_input(model, input, &name, &type, &count) != CANNERY_OK) {
            return fail();
        }
        printf("%s: %s%s\n", name, type == CANNERY_STRING ? "text" : "number",
               count == 1 ? "" : "s");
    }
    return 0;
}

/// Sets the cell that a word such as "age=22" names.
static int set_cell(const cannery_model* model, cannery_request* request, const char* word)
{
    char name[256];
    const char* value = strchr(word, '=');
    size_t input = 0;
    if (value == NULL || (size_t)(value - word) >= sizeof(name)) {
        fprintf(stderr, "error: write a cell as NAME=VALUE, not %s\n", word);
        return 1;
    }
    memcpy(name, word, (size_t)(value - word));
    name[value - word] = '\0';
    ++value;
    if (cannery_model_find_input(model, name, &input) != CANNERY_OK ||
        cannery_request_set_text(request, input, value, strlen(value)) != CANNERY_OK) {
        return fail();
    }
    return 0;
}

static void print_row(const cannery_model* model, cannery_request* request, size_t row)
{
    for (size_t output = 0; output < cannery_model_output_count(model); ++output) {
        const char* name = NULL;
        cannery_type type = CANNERY_FLOAT32;
        size_t count = 0;
        cannery_model_output(model, output, &name, &type, &count);
        printf("%s%s:", output == 0 ? "" : "  ", name);
        for (size_t i = row * count; i < (row + 1) * count; ++i) {
            if (type == CANNERY_FLOAT32) {
                printf(" %.9g", (double)cannery_request_floats(request, output)[i]);
            } else if (type == CANNERY_STRING) {
                const cannery_text text = cannery_request_texts(request, output)[i];
                printf(" %.*s", (int)text.size, text.data);
            } else {
                printf(" %" PRId64, cannery_request_integers(request, output)[i]);
            }
        }
    }
    printf("\n");
}

static int predict(const cannery_model* model, cannery_request* request, int count, char** words)
{
    for (int i = 0; i < count; ++i) {
        if (strcmp(words[i], "--") == 0) {
            if (cannery_request_add_row(request) != CANNERY_OK) {
                return fail();
            }
        } else if (set_cell(model, request, words[i]) != 0) {
            return 1;
        }
    }
    if (cannery_request_add_row(request) != CANNERY_OK ||
        cannery_request_predict_rows(request) != CANNERY_OK) {
        return fail();
    }
    for (size_t row = 0; row < cannery_request_row_count(request); ++row) {
        print_row(model, request, row);
    }
    return 0;
}

int main(int argc, char** argv)
{
    cannery_model* model = NULL;
    cannery_request* request = NULL;
    int result = 1;
    if (argc < 2) {
        fprintf(stderr, "usage: %s MODEL [NAME=VALUE ...] [-- NAME=VALUE ...]\n", argv[0]);
        return 2;
    }
    if (cannery_model_open(argv[1], NULL, &model) != CANNERY_OK ||
        cannery_request_create(model, &request) != CANNERY_OK) {
        result = fail();
    } else if (argc == 2) {
        result = describe(model);
    } else {
        result = predict(model, request, argc - 2, argv + 2);
    }
    cannery_request_free(request);
    cannery_model_close(model);
    return result;
}
