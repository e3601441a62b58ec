package client

import (
	"google.golang.org/protobuf/proto"

	pb "github.com/spoonbill-go/spoonbill/backend/sparkconnect/internal/connectpb"
)

func catalogRelation(c *pb.Catalog) *Relation {
	return &pb.Relation{RelType: &pb.Relation_Catalog{Catalog: c}}
}

// some is a pattern, which is left out where it is empty.
func some(pattern string) *string {
	if pattern == "" {
		return nil
	}
	return proto.String(pattern)
}

// ListCatalogs gives the rows name and description.
func ListCatalogs(pattern string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_ListCatalogs{ListCatalogs: &pb.ListCatalogs{Pattern: some(pattern)}}})
}

// ListDatabases gives the rows name, catalog, description and locationUri of the current catalogue.
func ListDatabases(pattern string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_ListDatabases{ListDatabases: &pb.ListDatabases{Pattern: some(pattern)}}})
}

// ListTables gives the rows name, catalog, namespace, description, tableType and isTemporary; database is quoted.
func ListTables(database, pattern string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_ListTables{ListTables: &pb.ListTables{DbName: proto.String(database), Pattern: some(pattern)}}})
}

// GetTable gives a row as those of [ListTables]; names of tables here and below are quoted.
func GetTable(name string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_GetTable{GetTable: &pb.GetTable{TableName: name}}})
}

// ListColumns gives the rows name, description, dataType, nullable, isPartition, isBucket and isCluster.
func ListColumns(name string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_ListColumns{ListColumns: &pb.ListColumns{TableName: name}}})
}

// DatabaseExists gives one row with a boolean, as the following do.
func DatabaseExists(name string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_DatabaseExists{DatabaseExists: &pb.DatabaseExists{DbName: name}}})
}

// TableExists tells whether there is a table or view.
func TableExists(name string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_TableExists{TableExists: &pb.TableExists{TableName: name}}})
}

// DropTempView drops a temporary view by its name, which is not quoted.
func DropTempView(name string) *Relation {
	return catalogRelation(&pb.Catalog{CatType: &pb.Catalog_DropTempView{DropTempView: &pb.DropTempView{ViewName: name}}})
}
