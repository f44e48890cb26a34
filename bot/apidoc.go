package bot

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3gen"
)

// apiDocument describes apiRoutes (OpenAPI 3.0).
func apiDocument(server string) *openapi3.T {
	doc := &openapi3.T{OpenAPI: "3.0.3", Info: &openapi3.Info{Title: "firmproof", Version: "1",
		Description: "What firmproof's pages show, for programs. What is of a private repository takes a token, which who may write to it makes on its page."},
		Paths: openapi3.NewPaths(), Servers: openapi3.Servers{{URL: server + apiPath}},
		Components: &openapi3.Components{SecuritySchemes: openapi3.SecuritySchemes{"token": {
			Value: openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer")}}}}
	parts := regexp.MustCompile(`{(\w+)}`)
	for _, route := range apiRoutes {
		op := &openapi3.Operation{OperationID: route.name, Summary: route.says, Responses: openapi3.NewResponses(),
			Security: &openapi3.SecurityRequirements{{}, {"token": []string{}}}}
		for _, part := range parts.FindAllStringSubmatch(route.path, -1) {
			op.AddParameter(openapi3.NewPathParameter(part[1]).WithSchema(openapi3.NewStringSchema()))
		}
		for _, q := range route.query {
			op.AddParameter(openapi3.NewQueryParameter(q.name).WithDescription(q.says).WithSchema(&openapi3.Schema{
				Type: &openapi3.Types{q.kind}}))
		}
		op.Responses.Delete("default")
		op.AddResponse(http.StatusOK, answerOf("the answer", route.answer))
		op.AddResponse(http.StatusUnauthorized, answerOf("the token is not good, or not any more", apiError{}))
		op.AddResponse(http.StatusNotFound, answerOf("nothing is there, or not for who asks", apiError{}))
		op.AddResponse(http.StatusServiceUnavailable, answerOf("no answer at present", apiError{}))
		doc.Paths.Set(route.path, &openapi3.PathItem{Get: op})
	}
	return doc
}

// answerOf is the response with the type of an example; nil stands for any object.
func answerOf(says string, example any) *openapi3.Response {
	schema := openapi3.NewObjectSchema().NewRef()
	if example != nil {
		var err error
		schema, err = openapi3gen.NewSchemaRefForValue(example, openapi3.Schemas{}, openapi3gen.SchemaCustomizer(strict))
		if err != nil {
			panic(fmt.Sprintf("api: %T has no schema: %v", example, err)) // a mistake in the table of routes
		}
	}
	return openapi3.NewResponse().WithDescription(says).WithJSONSchemaRef(schema)
}

// strict makes what is always there a required member, and any other one a mistake.
func strict(_ string, t reflect.Type, _ reflect.StructTag, schema *openapi3.Schema) error {
	if t.Kind() != reflect.Struct || len(schema.Properties) == 0 {
		return nil
	}
	for i := range t.NumField() {
		if name, rest, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); rest != "omitempty" {
			schema.Required = append(schema.Required, name)
		}
	}
	no := false
	schema.AdditionalProperties = openapi3.AdditionalProperties{Has: &no}
	return nil
}
